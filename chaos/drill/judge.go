package drill

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/twinloop/chaos/proxy"
)

// The oracles, by the names that findings go by.
const (
	Converges = "converges"  // every step comes to what it awaits, and the operator to rest
	SamePlace = "same place" // where it comes to is where the reference run came to
	Safe      = "safe"       // the invariants hold after every event, and no object is lost that outlives a step without a fault
	Leaks     = "leaks"      // nothing outlives its owner
	Honest    = "honest"     // no panic, no hot loop, and no status of a generation that was not acted on
)

// Oracles are all of them.
var Oracles = []string{Converges, SamePlace, Safe, Leaks, Honest}

// judge holds a run against the reference, or, where there is none, against what can be said without one.
func (a *arena) judge(reference *reference, run *Recording) []Finding {
	var found []Finding
	find := func(oracle, format string, args ...any) {
		found = append(found, Finding{Oracle: oracle, Text: fmt.Sprintf(format, args...)})
	}
	if run.Failure != nil {
		cause, _, _ := strings.Cut(run.Failure.Error(), "\n")
		step, _, _ := strings.Cut(cause, ": ")
		found = append(found, Finding{Oracle: Converges, Text: run.Failure.Error(), cause: withoutParticulars(cause), step: step})
	}
	if reference != nil {
		if finding := reference.finalState(run); finding.Text != "" {
			found = append(found, finding)
		}
		for _, casualty := range reference.casualties(run) {
			find(Safe, "%s", casualty)
		}
	}
	found = append(found, violated(a.expressions.violations(a.observer.plurals(), run.Events))...)
	left := leaks
	if run.Failure != nil || run.Cut {
		left = strandedRecords // a scenario that was broken off leaves objects that it would have removed
	}
	for _, leak := range left(run.last) {
		find(Leaks, "%s", leak)
	}
	for _, strike := range run.Strikes {
		for _, record := range unheldRecords(strike.left) {
			find(Leaks, "%s", record)
		}
	}
	for _, line := range dishonest(run.Log) {
		find(Honest, "the operator printed: %s", line)
	}
	if reference != nil {
		for _, loop := range hotLoops(writes(reference.Recording), writes(run)) {
			find(Honest, "%s", loop)
		}
	}
	for _, line := range notSilent(run) {
		find(Honest, "%s", line)
	}
	return found
}

// violated is a finding for each invariant that was: the first time that it was, and how many more times.
func violated(violations []Violation) []Finding {
	var found []Finding
	times := map[string]int{}
	for _, v := range violations {
		times[v.Invariant]++
	}
	for i, v := range violations {
		if slices.ContainsFunc(violations[:i], func(earlier Violation) bool { return earlier.Invariant == v.Invariant }) {
			continue
		}
		text := fmt.Sprintf("%s: violated by %s", v.Invariant, v.Event)
		if v.Unevaluated != nil {
			text = fmt.Sprintf("%s: cannot be evaluated after %s: %v", v.Invariant, v.Event, v.Unevaluated)
		}
		text += "; there were:\n" + strings.Join(v.Objects, "\n")
		if more := times[v.Invariant] - 1; more > 0 {
			text += fmt.Sprintf("\nand %d more times", more)
		}
		found = append(found, Finding{Oracle: Safe, Text: text, cause: v.Invariant, at: v.Seen})
	}
	return found
}

// finalState returns the finding that a run came to another state than the runs without a fault, after the first step after
// which it did; without text where it did not.
func (r *reference) finalState(run *Recording) Finding {
	for _, step := range run.Steps {
		expected, ok := r.step(step.Name)
		if !ok {
			continue
		}
		if difference := step.snapshot.without(r.ignored).difference(expected.snapshot.without(r.ignored)); difference != "" {
			finding := anotherPlace(fmt.Sprintf("after step %s (- expected, + found):\n%s", step.Name, difference))
			finding.step = step.Name
			return finding
		}
	}
	return Finding{}
}

// anotherPlace is the finding of a difference. Wherever the same is different, it has the same cause.
func anotherPlace(difference string) Finding {
	_, what, _ := strings.Cut(difference, "\n")
	return Finding{Oracle: SamePlace, Text: difference, cause: withoutParticulars(what)}
}

// notSilent are the requests that were made while there was nothing to do.
func notSilent(run *Recording) []string {
	var found []string
	for _, x := range run.Exchanges {
		if x.Place.Step == listening && (x.IsWrite() && !isLease(x.Request) || x.Verb == "list") {
			found = append(found, fmt.Sprintf("with nothing to do: %s (%s)", x.Place.Kind, x.Path))
		}
	}
	for _, u := range run.Updates {
		if u.Place.Step == listening {
			found = append(found, fmt.Sprintf("with nothing to do: %s (%s)", u.Place.Kind, u.Text))
		}
	}
	return append(found, idleReads(run)...)
}

// idleReads are objects that were read again and again while there was nothing to do. A few reads are those of somebody who looks
// whether there is.
func idleReads(run *Recording) []string {
	counts := map[string]int{}
	for _, x := range run.Exchanges {
		if x.Place.Step == listening && x.Verb == "get" && !isLease(x.Request) {
			counts[x.Path]++
		}
	}
	var found []string
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[path]; n > hotExtra {
			found = append(found, fmt.Sprintf("with nothing to do: %d times GET %s", n, path))
		}
	}
	return found
}

// expect holds the end of a case against what it expects.
func (a *arena) expect(c compiledCase, run *Recording) []Finding {
	if run.Failure != nil {
		return nil // the end was not reached
	}
	end := run.last
	end.history = run.history()
	seen := a.expressions.scope(end)
	var found []Finding
	for _, expected := range c.expect {
		switch holds, err := seen.truth(expected.program); {
		case err != nil:
			found = append(found, Finding{Oracle: Safe, Text: fmt.Sprintf("%s: cannot be told: %v", expected.name, err)})
		case !holds:
			found = append(found, Finding{Oracle: Safe, Text: fmt.Sprintf("%s: does not hold (%s)", expected.name, expected.text)})
		}
	}
	return found
}

// measure evaluates the plan's measures.
func (a *arena) measure(run *Recording) map[string]int {
	if len(a.expressions.measures) == 0 {
		return nil
	}
	end := run.last
	end.history = run.history()
	seen := a.expressions.scope(end)
	values := map[string]int{}
	for _, measure := range a.expressions.measures {
		if n, err := seen.integer(measure.program); err == nil {
			values[measure.name] = n
		}
	}
	return values
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
				owner, _ := owner.(map[string]any)
				if observes(last, owner) && !alive[owner["uid"]] {
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

// observes reports whether the objects of an owner's kind are among those seen: of others nothing can be said.
func observes(v view, owner map[string]any) bool {
	apiVersion, _ := owner["apiVersion"].(string)
	kind, _ := owner["kind"].(string)
	resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
	_, observed := v.objects[resource.Resource]
	return observed
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

// recordsEvent is a write that reports and does nothing.
const recordsEvent proxy.Kind = "POST events"

// hotLoops are the kinds of writes that a step had far more of than in the reference run. What a step does after a restart
// counts as the step's.
func hotLoops(reference, run []proxy.Place) []string {
	type kind struct {
		step string
		kind proxy.Kind
	}
	count := func(places []proxy.Place) map[kind]int {
		counts := map[kind]int{}
		for _, place := range places {
			if place.Kind == recordsEvent {
				continue // a recorder sends what it could not for a while all at once
			}
			counts[kind{strings.TrimSuffix(place.Step, again), place.Kind}]++
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
