package drill

import (
	"slices"
	"testing"

	"example.com/twinloop/chaos/proxy"
)

func TestHotLoops(t *testing.T) {
	times := func(n int, step string) []proxy.Place {
		return slices.Repeat([]proxy.Place{{Step: step, Kind: "POST pods"}}, n)
	}
	for _, test := range []struct {
		name           string
		reference, run []proxy.Place
		want           []string
	}{
		{"as often", times(4, "roll"), times(4, "roll"), nil},
		{"at the limit", times(4, "roll"), times(4*hotFactor+hotExtra, "roll"), nil},
		{"all the time", times(4, "roll"), times(4*hotFactor+hotExtra+1, "roll"),
			[]string{"roll: POST pods was sent 33 times, and 4 times in the reference run"}},
		{"in another step", times(4, "roll"), times(33, "scale"),
			[]string{"scale: POST pods was sent 33 times, and 0 times in the reference run"}},
		{"after a restart, which counts as the step's", times(4, "roll"), slices.Concat(times(30, "roll"), times(3, "roll again")),
			[]string{"roll: POST pods was sent 33 times, and 4 times in the reference run"}},
		{"after a restart, within the step's", times(4, "roll"), slices.Concat(times(16, "roll"), times(16, "roll again")), nil},
		{"events, which a recorder sends when it can", nil, slices.Repeat([]proxy.Place{{Step: "roll", Kind: "POST events"}}, 1000), nil},
		{"DNS updates", nil, slices.Repeat([]proxy.Place{{Step: "roll", Kind: "UPDATE fleet.test."}}, 21),
			[]string{"roll: UPDATE fleet.test. was sent 21 times, and 0 times in the reference run"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := hotLoops(test.reference, test.run); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
