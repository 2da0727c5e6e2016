package drill

import (
	"slices"
	"testing"
)

// TestOneCauseHasManyNames takes findings for one that differ only in what the API server made up, in numbers and in times.
func TestOneCauseHasManyNames(t *testing.T) {
	steps := func(step string, d difference) Finding { return stepDifference{step, d}.finding() }
	pod := snapshot{newEntry("pods", "a", nil)}
	lacksPod, hasPod := difference{missing: pod}, difference{excess: pod}
	differs := func(key string, before, after any) difference {
		of := func(value any) entry { return newEntry("pods", "a", map[string]any{key: value}) }
		return difference{changed: []changedObject{{of(before), of(after)}}}
	}
	image := func(found string) difference { return differs("image", "web:1", found) }
	phase := differs("phase", "Running", "Failed")
	for _, test := range []struct {
		name       string
		one, other Finding
		same       bool
	}{
		{"generated names", Finding{Oracle: Leaks, Text: "pods web-6d4b9-x7k2p outlives its owner Fleet web"},
			Finding{Oracle: Leaks, Text: "pods web-6d4b9-9qzzz outlives its owner Fleet web"}, true},
		{"hashes", Finding{Oracle: Leaks, Text: "controllerrevisions web-7f9c8d6b5"}, Finding{Oracle: Leaks, Text: "controllerrevisions web-5c6d7b8f9"}, true},
		{"uids", Finding{Oracle: FinalState, Text: "owner 0f8fad5b-d9cb-469f-a165-70867728950e"},
			Finding{Oracle: FinalState, Text: "owner 7c9e6679-7425-40de-944b-e07fc1f90ae7"}, true},
		{"numbers", Finding{Oracle: Health, Text: "roll: POST pods was sent 33 times, and 4 times in the reference run"},
			Finding{Oracle: Health, Text: "roll: POST pods was sent 60 times, and 5 times in the reference run"}, true},
		{"times", Finding{Oracle: Converges, Text: "after 1.5 s"}, Finding{Oracle: Converges, Text: "after 20 s"}, true},
		{"resources", Finding{Oracle: Leaks, Text: "pods a outlives"}, Finding{Oracle: Leaks, Text: "fleets a outlives"}, false},
		{"steps", Finding{Oracle: Health, Text: "roll: POST pods"}, Finding{Oracle: Health, Text: "scale: POST pods"}, false},
		{"steps after which there is the same difference", steps("create", lacksPod), steps("scale", lacksPod), true},
		{"values that are expected and found", steps("create", image("web:2")), steps("create", image("web:3")), true},
		{"fields", steps("create", image("web:2")), steps("create", phase), false},
		{"objects that are missing and in excess", steps("create", lacksPod), steps("create", hasPod), false},
		{"more fields", steps("create", image("web:2")), steps("create", difference{changed: append(phase.changed, image("web:2").changed...)}), false},
		{"oracles", Finding{Oracle: Leaks, Text: "a pod"}, Finding{Oracle: Health, Text: "a pod"}, false},
		{"one of them expected", Finding{Oracle: Leaks, Text: "a pod"}, Finding{Oracle: Leaks, Text: "a pod", Expected: true}, false},
		{"an invariant's, whatever there was", Finding{Oracle: Safe, Text: "live: violated by a; there were:\npods", cause: "live"},
			Finding{Oracle: Safe, Text: "live: violated by b; there were:\nnone", cause: "live"}, true},
		{"two invariants", Finding{Oracle: Safe, Text: "violated", cause: "live"}, Finding{Oracle: Safe, Text: "violated", cause: "available"}, false},
	} {
		report := Report{Points: []PointResult{
			{Point: Point{Case: "a"}, Findings: []Finding{test.one}}, {Point: Point{Case: "b"}, Findings: []Finding{test.other}},
		}}
		causes := report.Causes()
		if same := len(causes) == 1; same != test.same {
			t.Errorf("%s: %d causes", test.name, len(causes))
		}
		if causes[0].Text != test.one.Text {
			t.Errorf("%s: the first is told as %q", test.name, causes[0].Text)
		}
	}
}

func TestCausesInTheOrderOfTheirPoints(t *testing.T) {
	leak, loop := Finding{Oracle: Leaks, Text: "a pod"}, Finding{Oracle: Health, Text: "a loop"}
	point := func(round int) Point { return Point{Case: "a", Round: round} }
	report := Report{Points: []PointResult{
		{Point: point(1)},
		{Point: point(2), Findings: []Finding{leak, leak}},
		{Point: point(3), Findings: []Finding{loop, leak}},
		{Point: point(4), Findings: []Finding{leak}},
	}}
	causes := report.Causes()
	if len(causes) != 2 || causes[0].Finding != leak || causes[1].Finding != loop {
		t.Fatalf("causes %+v", causes)
	}
	if want := []Point{point(2), point(3), point(4)}; !slices.Equal(causes[0].Points, want) {
		t.Errorf("points %v, want %v, each once", causes[0].Points, want)
	}
	two := Cause{Points: causes[0].Points[:2]}
	if two.where() != "a #2 and 1 more point" {
		t.Errorf("at %q", two.where())
	}
	if leaks, loops := causes[0].where(), causes[1].where(); leaks != "a #2 and 2 more points" || loops != "a #3" {
		t.Errorf("at %q and at %q", leaks, loops)
	}
	if none := (&Report{}).Causes(); none != nil {
		t.Errorf("causes of nothing: %v", none)
	}
}
