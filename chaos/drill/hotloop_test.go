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
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := hotLoops(test.reference, test.run); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
