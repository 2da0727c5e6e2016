package drill

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// The oracles, by the names that findings go by.
const (
	Converges = "converges"  // every step comes to what it awaits, and the operator to rest
	SamePlace = "same place" // where it comes to is where the reference run came to
	Safe      = "safe"       // the invariants hold after every event
	Leaks     = "leaks"      // nothing outlives its owner
	Honest    = "honest"     // no panic, no hot loop, and no status of a generation that was not acted on
)

// Oracles are all of them.
var Oracles = []string{Converges, SamePlace, Safe, Leaks, Honest}

// Finding is something that an operator did wrong.
type Finding struct {
	// Oracle is the question that it is the answer to: converges, same place, safe, leaks, honest.
	Oracle string `json:"oracle"`
	Text   string `json:"text"`
}

// judge holds a run against the reference.
func (a *arena) judge(reference, run *Recording) []Finding {
	var found []Finding
	find := func(oracle, format string, args ...any) {
		found = append(found, Finding{oracle, fmt.Sprintf(format, args...)})
	}
	if run.Failure != nil {
		find(Converges, "%v", run.Failure)
	}
	for i, step := range run.Steps {
		if difference := step.snapshot.difference(reference.Steps[i].snapshot); difference != "" {
			find(SamePlace, "after step %s (- expected, + found):\n%s", step.Name, difference)
			break // what follows starts from a different place
		}
	}
	for _, violation := range a.expressions.violations(a.observer.plurals(), run.Events) {
		find(Safe, "%s: violated by %s", violation.Invariant, violation.Event)
	}
	left := leaks
	if run.Failure != nil {
		left = strandedRecords // a scenario that was broken off leaves objects that it would have removed
	}
	for _, leak := range left(run.last) {
		find(Leaks, "%s", leak)
	}
	if run.Strike != nil && run.Strike.Fault.kills() {
		for _, record := range unheldRecords(run.Strike.left) {
			find(Leaks, "%s", record)
		}
	}
	for _, line := range dishonest(run.Log) {
		find(Honest, "the operator printed: %s", line)
	}
	for _, loop := range hotLoops(writes(reference), writes(run)) {
		find(Honest, "%s", loop)
	}
	return found
}

// leaks are objects whose owner is gone, objects that wait for a finalizer, and records whose owner is gone.
func leaks(last view) []string {
	alive := owners(last, func(map[string]any) bool { return true })
	var found []string
	for plural, objects := range last.objects {
		for _, object := range objects {
			metadata := metadataOf(object)
			owners, _ := metadata["ownerReferences"].([]any)
			for _, owner := range owners {
				if owner, _ := owner.(map[string]any); !alive[owner["uid"]] {
					found = append(found, fmt.Sprintf("%s %v outlives its owner %v %v", plural, metadata["name"], owner["kind"], owner["name"]))
				}
			}
			if metadata["deletionTimestamp"] != nil {
				found = append(found, fmt.Sprintf("%s %v is held by its finalizers %v", plural, metadata["name"], metadata["finalizers"]))
			}
		}
	}
	return append(found, strandedRecords(last)...)
}

// strandedRecords are records whose owner is gone.
func strandedRecords(last view) []string {
	alive := owners(last, func(map[string]any) bool { return true })
	return recordsWithout(alive, last, "outlives its owner")
}

// unheldRecords are records that nobody would withdraw if their owner were deleted now, while the operator is dead:
// their owner is held by no finalizer.
func unheldRecords(left view) []string {
	held := owners(left, func(metadata map[string]any) bool { return metadata["finalizers"] != nil })
	return recordsWithout(held, left, "would outlive its owner, which no finalizer holds, if that were deleted now")
}

func recordsWithout(owners map[any]bool, v view, what string) []string {
	var found []string
	for _, record := range v.records {
		if record := record.(map[string]any); !owners[record["owner"]] {
			found = append(found, fmt.Sprintf("DNS record %v %s", record["name"], what))
		}
	}
	return found
}

// owners are the uids of the objects whose metadata is such.
func owners(v view, such func(metadata map[string]any) bool) map[any]bool {
	uids := map[any]bool{}
	for _, objects := range v.objects {
		for _, object := range objects {
			if metadata := metadataOf(object); such(metadata) {
				uids[metadata["uid"]] = true
			}
		}
	}
	return uids
}

func metadataOf(object any) map[string]any {
	metadata, _ := object.(map[string]any)["metadata"].(map[string]any)
	return metadata
}

var panicked = regexp.MustCompile(`^(panic: |fatal error: |WARNING: DATA RACE)|Observed a panic`)

func dishonest(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if panicked.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// A fault is injected once. Whoever writes so many times more often than without it, and so many times besides, does not
// try again but all the time.
const (
	hotFactor = 3
	hotExtra  = 20
)

// hotLoops are the kinds of writes that a step had far more of than in the reference run.
func hotLoops(reference, run []proxy.Place) []string {
	type kind struct {
		step string
		kind proxy.Kind
	}
	count := func(places []proxy.Place) map[kind]int {
		counts := map[kind]int{}
		for _, place := range places {
			counts[kind{place.Step, place.Kind}]++
		}
		return counts
	}
	usual := count(reference)
	var found []string
	for of, n := range count(run) {
		if n > hotFactor*usual[of]+hotExtra {
			found = append(found, fmt.Sprintf("%s: %s was sent %d times, and %d times in the reference run", of.step, of.kind, n, usual[of]))
		}
	}
	slices.Sort(found)
	return found
}
