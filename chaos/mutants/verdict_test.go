package mutants

import (
	"testing"

	"example.com/twinloop/chaos/drill"
)

func TestCaughtBy(t *testing.T) {
	point := func(text string) drill.Point {
		p, err := drill.ParsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, second := point("roll: POST pods #1, after"), point("roll: POST pods #2, before")
	m := Mutant{Oracles: []string{"converges", "safe"}, Points: []drill.Point{first, second}}
	result := func(p drill.Point, verdict drill.Verdict, oracles ...string) drill.PointResult {
		r := drill.PointResult{Point: p, Verdict: verdict}
		for _, oracle := range oracles {
			r.Findings = append(r.Findings, drill.Finding{Oracle: oracle})
		}
		return r
	}
	caught := result(first, drill.Failed, "safe", "converges")
	for name, c := range map[string]struct {
		second drill.PointResult
		want   string
	}{
		"everywhere by all":   {result(second, drill.Failed, "converges", "leaks", "safe"), ""},
		"passed":              {result(second, drill.Passed), "roll: POST pods #2, before: passed"},
		"not reached":         {result(second, drill.NotReached), "roll: POST pods #2, before: not reached"},
		"by another":          {result(second, drill.Failed, "converges", "leaks"), `roll: POST pods #2, before: failed, but not by "safe": it was converges, leaks that objected`},
		"somewhere else only": {result(point("roll: POST pods #3, before"), drill.Failed, "converges", "safe"), "roll: POST pods #2, before: was not run"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := m.CaughtBy(&drill.Report{Points: []drill.PointResult{caught, c.second}}); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("lives because %q, want %q", got, c.want)
			}
		})
	}
}
