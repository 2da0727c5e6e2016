package onelineperstage

import (
	"slices"
	"time"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// The stages that one edit goes through. An event is a watch event that passes the proxy.
const (
	editTold     = "edit event"
	keyAdded     = "Add"
	keyTaken     = "Get"
	fleetRead    = "read"
	podCreated   = "POST"
	podTold      = "pod event"
	statusStored = "PUT"
	statusTold   = "status event"
)

// The questions about the order list the stages in another one than that of the answer.
var (
	first  = lab.Ordering{keyAdded, podCreated, fleetRead, editTold, keyTaken}
	echoes = lab.Ordering{podTold, statusStored, podCreated, statusTold}
)

// inOrder puts stages in the order in which they came, each for the first time; one that did not come is last. The proxy and
// the operator read the same clock.
func (t trace) inOrder(stages lab.Ordering) []string {
	came := t.stages()
	at := func(stage string) time.Time {
		if at, ok := came[stage]; ok {
			return at
		}
		return time.Now()
	}
	sorted := slices.Clone(stages)
	slices.SortStableFunc(sorted, func(a, b string) int { return at(a).Compare(at(b)) })
	return sorted
}

// stages are the times at which each came first.
func (t trace) stages() map[string]time.Time {
	came := map[string]time.Time{}
	note := func(stage string, at time.Time) {
		if was, noted := came[stage]; !noted || at.Before(was) {
			came[stage] = at
		}
	}
	ofLine := map[cluster.Stage]string{cluster.Enqueued: keyAdded, cluster.Reconciling: keyTaken, cluster.Read: fleetRead}
	for _, line := range t.lines {
		if stage, ok := ofLine[line.Stage]; ok {
			note(stage, line.Time)
		}
	}
	for i, e := range t.events {
		switch {
		case e.Kind == "Pod":
			note(podTold, e.Time)
		case i == 0:
			note(editTold, e.Time)
		default:
			note(statusTold, e.Time)
		}
	}
	for _, write := range t.writes {
		switch write.Place.Kind {
		case "POST pods":
			note(podCreated, write.Arrived)
		case "PUT fleets/status":
			note(statusStored, write.Arrived)
		}
	}
	return came
}
