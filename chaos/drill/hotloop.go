package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// A fault is injected once. Whoever writes so many times more often than without it, and so many times besides, may not try
// again but all the time.
const (
	hotFactor = 3
	hotExtra  = 20
)

// longestBurst is how long many requests may take that are one piece of work, such as the creation of all pods.
const longestBurst = time.Second

// goesOn reports whether requests, in the order of their arrival, come as often in the last third of their time as in the first,
// or half as often at least. With a backoff they come ever more seldom, and after a burst not at all.
func goesOn(arrived []time.Time) bool {
	began := arrived[0]
	third := max(arrived[len(arrived)-1].Sub(began), longestBurst) / 3
	early, late := 0, 0
	for _, at := range arrived {
		switch since := at.Sub(began); {
		case since <= third:
			early++
		case since >= 2*third:
			late++
		}
	}
	return 2*late >= early
}

// recordsEvent is a write that reports and does nothing.
const recordsEvent proxy.Kind = "POST events"

// stepKind is a kind of write in a step.
type stepKind struct {
	step string
	kind proxy.Kind
}

// byStepAndKind returns the times of some writes. What a step does after a restart counts as the step's.
func byStepAndKind(writes []arrivedWrite) map[stepKind][]time.Time {
	times := map[stepKind][]time.Time{}
	for _, w := range writes {
		if w.place.Kind == recordsEvent {
			continue // a recorder sends what it could not for a while all at once
		}
		of := stepKind{strings.TrimSuffix(w.place.Step, again), w.place.Kind}
		times[of] = append(times[of], w.arrived)
	}
	return times
}

// hotLoops returns findings of the kinds of writes that a step had far more of than in the reference run, without a backoff.
func hotLoops(reference, run []arrivedWrite) []Finding {
	usual, made := byStepAndKind(reference), byStepAndKind(run)
	var found []Finding
	inOrder := slices.SortedFunc(maps.Keys(made), func(a, b stepKind) int {
		return cmp.Or(strings.Compare(a.step, b.step), cmp.Compare(a.kind, b.kind))
	})
	for _, of := range inOrder {
		n, expected := len(made[of]), len(usual[of])
		if n > hotFactor*expected+hotExtra && goesOn(made[of]) {
			found = append(found, Finding{Oracle: Health, step: of.step, Text: fmt.Sprintf(
				"%s: %s was sent %d times without a backoff, and %d times in the reference run", of.step, of.kind, n, expected)})
		}
	}
	return found
}

// idleReads returns objects that were read again and again while there was nothing to do. A few reads are those of somebody who looks
// whether there is.
func idleReads(run *Recording) []string {
	reads := map[string][]time.Time{}
	for _, x := range run.Exchanges {
		if x.Place.Step == listening && x.Verb == "get" && !x.LeaderLock {
			reads[x.Path] = append(reads[x.Path], x.Arrived)
		}
	}
	var found []string
	for _, path := range slices.Sorted(maps.Keys(reads)) {
		slices.SortFunc(reads[path], time.Time.Compare)
		if n := len(reads[path]); n > hotExtra && goesOn(reads[path]) {
			found = append(found, fmt.Sprintf("with nothing to do: %d times GET %s", n, path))
		}
	}
	return found
}
