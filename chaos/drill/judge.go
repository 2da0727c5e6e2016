package drill

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The oracles, by the names that findings go by.
const (
	Converges  = "converges"   // every step comes to what it awaits, and the operator to rest
	FinalState = "final state" // where it comes to is where the reference run came to
	Safe       = "safe"        // the invariants hold after every event, and no object is lost that outlives a step without a fault
	Leaks      = "leaks"       // nothing outlives its owner
	Health     = "health"      // no panic, no hot loop, and no status of a generation that was not acted on
)

// Oracles are all of them.
var Oracles = []string{Converges, FinalState, Safe, Leaks, Health}

// judge holds a run against the reference, or, where there is none, against what can be said without one.
func (a *arena) judge(reference *reference, run *Recording) []Finding {
	var found []Finding
	find := func(oracle, format string, args ...any) {
		found = append(found, Finding{Oracle: oracle, Text: fmt.Sprintf(format, args...)})
	}
	if run.Failure != nil {
		found = append(found, unsettled(reference, run))
	}
	if reference != nil {
		if finding := reference.finalState(run); finding.Text != "" {
			found = append(found, finding)
		}
		found = append(found, reference.casualties(run)...)
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
	for _, line := range panics(run.Log) {
		find(Health, "the operator printed: %s", line)
	}
	if reference != nil {
		found = append(found, hotLoops(arrivedWrites(reference.Recording), arrivedWrites(run))...)
	}
	for _, line := range notSilent(run) {
		find(Health, "%s", line)
	}
	return lostFirst(found)
}

// violated returns a finding for each invariant that was: the first time that it was, and how many more times.
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
		found = append(found, Finding{Oracle: Safe, Text: text, cause: v.Invariant, at: v.At})
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
		if d := step.snapshot.without(r.ignoring()).difference(expected.snapshot.without(r.ignoring())); !d.empty() {
			return stepDifference{step.Name, d}.finding()
		}
	}
	return Finding{}
}

// stepDifference is a difference after a step.
type stepDifference struct {
	step string
	difference
}

func (d stepDifference) String() string {
	return fmt.Sprintf("after step %s (- expected, + found):\n%s", d.step, d.difference)
}

// finding returns that of a difference. Wherever the same is different, it has the same cause.
func (d stepDifference) finding() Finding {
	return Finding{Oracle: FinalState, Text: d.String(), cause: d.summary(), step: d.step, lost: len(d.missing) > 0}
}

// unsettled returns the finding of a step that did not come to its end: what did not hold, and how what there was then differs from
// what there is after the step without a fault.
func unsettled(reference *reference, run *Recording) Finding {
	text := run.Failure.Error()
	reasons, _, _ := strings.Cut(text, "\n"+inventory)
	found := Finding{Oracle: Converges, Text: text, cause: withoutParticulars(reasons), step: run.failedStep}
	if reference == nil {
		return found
	}
	expected, ok := reference.step(run.failedStep)
	if !ok {
		return found
	}
	last := takeSnapshot(run.Namespace, run.last, run.Events).without(reference.ignoring())
	d := last.difference(expected.snapshot.without(reference.ignoring()))
	if d.empty() {
		return found
	}
	found.Text += fmt.Sprintf("\ncompared with what there is after step %s without a fault (- missing, + found):\n%s", run.failedStep, d)
	found.cause += "\n" + d.summary()
	found.lost = len(d.missing) > 0
	return found
}

// notSilent returns the requests that were made while there was nothing to do.
func notSilent(run *Recording) []string {
	var found []string
	for _, x := range run.Exchanges {
		if x.Place.Step == listening && (x.IsWrite() && !x.LeaderLock || x.Verb == "list") {
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

// leaks returns objects whose owner is gone, objects that wait for a finalizer, and records whose owner is gone.
func leaks(last view) []string {
	alive := owners(last, func(map[string]any) bool { return true })
	var found []string
	for plural, objects := range last.objects {
		for _, object := range objects {
			metadata := metadataOf(object)
			owners, _ := metadata["ownerReferences"].([]any)
			for _, owner := range owners {
				owner, _ := owner.(map[string]any)
				if last.kinds.include(owner) && !alive[owner["uid"]] {
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

// strandedRecords returns records whose owner is gone.
func strandedRecords(last view) []string {
	alive := owners(last, func(map[string]any) bool { return true })
	return recordsWithout(alive, last, "outlives its owner")
}

// unheldRecords returns records that nobody would withdraw if their owner were deleted now, while the operator is dead:
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

// owners returns the uids of the objects whose metadata is such.
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

func panics(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if panicked.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
