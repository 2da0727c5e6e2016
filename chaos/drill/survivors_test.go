package drill

import (
	"slices"
	"testing"
)

func podsOf(uids ...string) view {
	pods := []any{}
	for _, uid := range uids {
		pods = append(pods, map[string]any{"metadata": map[string]any{"name": uid, "uid": uid}})
	}
	return view{objects: map[string][]any{"pods": pods}}
}

func TestCasualties(t *testing.T) {
	blow := parsePoints(t, "scale: POST pods #1, after")[0].Blow
	struck := func(step string, before, after view) *Recording {
		b := blow
		b.Step = step
		return &Recording{Strikes: []*Strike{{Blow: b}}, Steps: []StepRecord{{Name: "scale", survivors: survivorsOf(before, after)}}}
	}
	undisturbed := func(before, after view) *Recording { return struck("scale", before, after) }
	r := newReference([]*Recording{
		undisturbed(podsOf("a", "b", "c"), podsOf("a", "b", "c", "d")),
		undisturbed(podsOf("a", "b", "c"), podsOf("a", "b", "e", "d")),
	}, nil)
	twice := struck("scale", podsOf("a", "b", "c"), podsOf("a", "x", "y", "z"))
	twice.Strikes = append(twice.Strikes, twice.Strikes[0])
	lost := []string{"scale: of the pods there before it, 1 outlive it, and 2 without a fault"}
	for _, test := range []struct {
		name string
		run  *Recording
		want []string
	}{
		{"as many as in the run that kept least", struck("scale", podsOf("a", "b", "c"), podsOf("b", "c", "x", "y")), nil},
		{"deleted and created anew", struck("scale", podsOf("a", "b", "c"), podsOf("a", "x", "y", "z")), lost},
		{"by the restarted operator", struck("scale again", podsOf("a", "b", "c"), podsOf("a", "x", "y", "z")), lost},
		{"struck twice, told once", twice, lost},
		{"in a step that was not struck", struck("roll", podsOf("a", "b", "c"), podsOf("x")), nil},
		{"by none", &Recording{}, nil},
	} {
		var got []string
		for _, finding := range r.casualties(test.run) {
			got = append(got, finding.Text)
			if finding.step != "scale" || !finding.lost {
				t.Errorf("%s: %+v is not about the step, or not about a loss", test.name, finding)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
