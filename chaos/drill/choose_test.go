package drill

import (
	"fmt"
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
		{"one at a write that is not always made", all[:3], Options{Points: all[3:4]}, all[3:4], ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			chosen, err := test.options.choose(test.all, all[len(test.all):])
			if !slices.Equal(chosen, test.want) {
				t.Errorf("chose %v, want %v", chosen, test.want)
			}
			if failed := err != nil; failed != (test.failure != "") || failed && !strings.Contains(err.Error(), test.failure) {
				t.Errorf("got %v, want an error with %q", err, test.failure)
			}
		})
	}
}

func TestPointThatThePlanCannotHave(t *testing.T) {
	crash := parse(t, small)
	quiet := parse(t, strings.Replace(small, "faults: [before]", "silence: 10s", 1))
	cases := parse(t, smallCases)
	for _, test := range []struct {
		definition *Definition
		point      string
		want       string // "" for one that it can have
	}{
		{crash, "remove: POST pods #1, before", ""},
		{crash, "remove: POST pods #1, before; remove again: POST pods #9, before", ""},
		{crash, "nostep: POST pods #1, before", `there is no step "nostep", only create, remove`},
		{crash, "remove: POST pods #1, cut", "what this drill does is before"},
		{crash, "remove, silence", "what this drill does is before"},
		{crash, "remove", "this drill has no cases: name a step and what is done there: before"},
		{quiet, "remove, silence", ""},
		{quiet, "remove: POST pods #1, before", "what this drill does is silence"},
		{quiet, "nostep, silence", `there is no step "nostep", only create, remove`},
		{cases, "once", ""},
		{cases, "often #3", ""},
		{cases, "never", "there is no such case, only once, often"},
		{cases, "create: POST pods #1, after", "there is no such case, only once, often"},
		{cases, "often", `the case has 3 runs: "often #1" to "often #3"`},
		{cases, "often #4", `the case has 3 runs: "often #1" to "often #3"`},
		{cases, "once #1", `the case has 1 run: "once"`},
	} {
		err := test.definition.CheckPoint(parsePoints(t, test.point)[0])
		switch {
		case test.want == "" && err != nil:
			t.Error(err)
		case test.want != "" && (err == nil || err.Error() != fmt.Sprintf("point %q: %s", test.point, test.want)):
			t.Errorf("%s: got %v, want %s", test.point, err, test.want)
		}
	}
}
