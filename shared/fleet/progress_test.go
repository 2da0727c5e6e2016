package fleet

import (
	"math"
	"testing"
	"time"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// A story is a Fleet over time. Each step tells what came about, and what Progressing says once the operator has seen
// it; the deadline is one minute.
type step struct {
	facts []fact
	want  string
}

func TestProgress(t *testing.T) {
	const (
		rollingOut = "True RollingOut"
		rolled     = "True RolledOut"
		exceeded   = "False ProgressDeadlineExceeded"
		onHold     = "Unknown Paused"
		refused    = "False FailedCreateRevision"
	)
	after := func(seconds int, facts ...fact) []fact {
		return append([]fact{later(time.Duration(seconds) * time.Second)}, facts...)
	}
	for name, steps := range map[string][]step{
		"a roll that comes up": {
			{after(0, wants("v1")), rollingOut},
			{after(59, revisions("v1"), pods(3, "v1", starting)), rollingOut},
			{after(59, become("v1", readyFor(0))), rolled},
			{after(3600), rolled},
		},
		"a roll that does not": {
			{after(0, wants("v1")), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
			{after(3600), exceeded},
		},
		"a missed deadline is made good by progress": {
			{after(0, revisions("v1"), pods(3, "v1", starting)), rollingOut},
			{after(60), exceeded},
			{after(1, become("v1", unready), gone(1, "v1"), pods(1, "v1")), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
			{after(1, become("v1", readyFor(0))), rolled},
		},
		"the timer starts again with every new pod, and every one that is ready or available": {
			{after(0, minReadySeconds(10), revisions("v1")), rollingOut},
			{after(50, pods(1, "v1", starting)), rollingOut},
			{after(50, pods(1, "v1", starting)), rollingOut},
			{after(50, become("v1", readySinceTime(noon.Add(145*time.Second)))), rollingOut},
			{after(10), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
		},
		"the timer starts again with every old pod that goes": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(3600, wants("v2")), rollingOut},
			{after(50, gone(1, "v1")), rollingOut},
			{after(50, gone(1, "v1")), rollingOut},
			{after(60), exceeded},
		},
		"losing a new pod is no progress": {
			{after(0, revisions("v1"), pods(2, "v1")), rollingOut},
			{after(50, gone(1, "v1")), rollingOut},
			{after(10), exceeded},
		},
		"a corrected template starts the timer": {
			{after(0, revisions("v1"), pods(3, "v1", unready)), rollingOut},
			{after(60), exceeded},
			{after(60, wants("v2")), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
		},
		"going back is a roll until the other pods are gone": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(3600, wants("v2"), pods(1, "v2", unready)), rollingOut},
			{after(60), exceeded},
			{after(60, wants("v1")), rollingOut},
			{after(1, gone(1, "v2")), rolled},
		},
		"old pods that appear in a Fleet that was rolled out have a minute to go": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(3600, pods(1, "manual", orphan, withoutHash)), rollingOut},
			{after(60), exceeded},
			{after(1, gone(1, "manual")), rolled},
		},
		"time spent paused does not count": {
			{after(0, wants("v1")), rollingOut},
			{after(59, paused), onHold},
			{after(3600), onHold},
			{after(0, resumed), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
		},
		"a missed deadline is forgotten in a pause": {
			{after(0, wants("v1")), rollingOut},
			{after(60), exceeded},
			{after(1, paused), onHold},
			{after(1, resumed), rollingOut},
		},
		"a pause changes nothing about what is rolled out": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(1, paused), onHold},
			{after(3600, resumed), rolled},
		},
		"what is rolled out stays so, whatever becomes of its pods": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(1, become("v1", unready)), rolled},
			{after(3600, replicas(5)), rolled},
			{after(3600, gone(3, "v1")), rolled},
		},
		"time spent without a number for a revision does not count": {
			{after(0, rolledOut("v1"), pods(3, "v1")), rolled},
			{after(1, wants("v2"), numbered(math.MaxInt64)), refused},
			{after(3600), refused},
			{after(0, numbered(1)), rollingOut},
			{after(59), rollingOut},
			{after(1), exceeded},
		},
		"a deleted Fleet has no deadline": {
			{after(0, wants("v1")), rollingOut},
			{after(60, deleting), rollingOut},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := given(deadline(60))
			for i, step := range steps {
				seen = stored(then(seen, step.facts...))
				if got := conditionOf(seen.Fleet.Status, v1alpha1.ConditionProgressing); got != step.want {
					t.Fatalf("after step %d Progressing is %q; want %q", i+1, got, step.want)
				}
			}
		})
	}
}
