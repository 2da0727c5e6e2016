package drill

import (
	"slices"
	"strings"
	"testing"

	"example.com/twinloop/chaos/proxy"
)

func TestChoose(t *testing.T) {
	all := points([]proxy.Place{
		{Step: "scale", Kind: "POST pods", Ordinal: 1}, {Step: "scale", Kind: "POST pods", Ordinal: 2},
		{Step: "roll", Kind: "POST pods", Ordinal: 1},
	}, []Fault{Before, After}, "")
	for _, test := range []struct {
		name    string
		all     []Point
		options Options
		want    []Point
		failure string
	}{
		{"all", all, Options{}, all, ""},
		{"some", all, Options{Points: all[3:4]}, all[3:4], ""},
		{"a part", all, Options{Shard: 2, Shards: 5}, all[1:2], ""},
		{"no write at all", nil, Options{}, nil, "nothing to inject"},
		{"an empty part", all, Options{Shard: 7, Shards: 7}, nil, "part 7 of 7 is empty: there are only 6 points"},
		{
			"a write that was not made", all, Options{Points: parsePoints(t, "scale: POST pods #3, after")}, nil,
			`point "scale: POST pods #3, after": the reference run, without any fault, did not come by it, ` +
				"only by scale: POST pods #1; scale: POST pods #2, with each of the drill's faults",
		},
		{
			"a step without writes", all, Options{Points: parsePoints(t, "rest: POST pods #1, after")}, nil,
			"only by writes of other steps",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			chosen, err := test.options.choose(test.all)
			if !slices.Equal(chosen, test.want) {
				t.Errorf("chose %v, want %v", chosen, test.want)
			}
			if failed := err != nil; failed != (test.failure != "") || failed && !strings.Contains(err.Error(), test.failure) {
				t.Errorf("got %v, want an error with %q", err, test.failure)
			}
		})
	}
}

func TestPointOfAnUnknownStep(t *testing.T) {
	definition, err := Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if err := definition.CheckPoint(parsePoints(t, "remove: POST pods #1, after")[0]); err != nil {
		t.Error(err)
	}
	err = definition.CheckPoint(parsePoints(t, "nostep: POST pods #1, after")[0])
	if err == nil || !strings.Contains(err.Error(), `there is no step "nostep", only create, remove`) {
		t.Errorf("got %v", err)
	}
}
