package suite

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 7: paused, Recreate, minReadySeconds and progressDeadlineSeconds mean what they mean for a Deployment.

// A paused Fleet does not roll, and does not say that it has. It scales and heals, with the template in use.
func TestPause(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		w.change("web", paused)
		w.eventually(settled("web"), computes("web", kstatus.CurrentStatus),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionUnknown, v1alpha1.ReasonPaused))
		w.change("web", image("web:2.0"))
		w.eventually(counts("web", 2, 0, 2, 2), computes("web", kstatus.InProgressStatus),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionUnknown, v1alpha1.ReasonPaused),
			says("web", v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonPaused))
		w.change("web", replicas(4))
		w.eventually(observed("web"), has("web", 4, serving, hasImage("web:1.0")))
		w.deletePod(w.pods("web", live)[0])
		w.eventually(has("web", 4, serving, hasImage("web:1.0")))
		w.change("web", replicas(3))
		w.eventually(observed("web"), has("web", 3, serving, hasImage("web:1.0")), revisions("web", "web:1.0"))

		w.change("web", resumed)
		w.eventually(settled("web"), has("web", 3, serving, hasImage("web:2.0")),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRolledOut))
	})
}

// A roll stops where it is when paused, and goes on from there.
func TestPauseDuringRoll(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(3), rolling("1", "0")))
		w.eventually(settled("web"))
		w.change("web", gated, image("web:2.0"))
		w.eventually(has("web", 1, live, isGated))
		w.change("web", paused)
		w.eventually(observed("web"), has("web", 3, live))
		w.change("web", resumed)
		w.openAllGates("web")
		w.eventually(settled("web"))
	})
}

// Recreate makes no new pod before the last old one has gone, and one that is still going has not.
func TestRecreateNeverOverlaps(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(3), recreating, heldPods))
		w.eventually(settled("web"))
		old := w.pods("web")
		w.change("web", image("web:2.0"))
		w.eventually(counts("web", 0, 0, 0, 0), has("web", 3))
		w.nudge("web")
		for _, pod := range old {
			w.now(has("web", 0, live))
			w.letGo(pod)
		}
		w.eventually(settled("web"), has("web", 3, serving, hasImage("web:2.0")))
		w.neverOverlapped("web", "web:1.0", "web:2.0")
	})
}

// neverOverlapped fails the test if a pod of one image was made while one of another was there.
func (w *world) neverOverlapped(name, old, next string) {
	w.Helper()
	w.record.replay(func(before state, c change) {
		pod, isPod := podIn(c)
		if isPod && c.event == watch.Added && imageOf(pod) == next {
			if left := before.podsOf(name, hasImage(old)); len(left) > 0 {
				w.Errorf("%s while %v were there", c, namesOf(left))
			}
		}
	})
}

// A pod is available when it has been ready for minReadySeconds: not before, and without anything else happening. An
// old pod waits for that too.
func TestMinReadySeconds(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), minReady(2), rolling("1", "0")))
		w.eventually(settled("web"))
		w.countedInTime("web")
		w.change("web", image("web:2.0"))
		w.eventually(settled("web"))
		w.kept("web", bounds{maxLive: 3, minAvailable: 2})
	})
}

// countedInTime fails the test for every status that counts more available pods than had been ready for long enough.
func (w *world) countedInTime(name string) {
	w.Helper()
	w.record.replay(func(before state, c change) {
		f, isFleet := c.object.(*v1alpha1.Fleet)
		if !isFleet || f.Name != name {
			return
		}
		due := before.podsOf(name, serving, readyFor(f, statusTime(f)))
		if counted := int(f.Status.AvailableReplicas); counted > len(due) {
			w.Errorf("%s: counts %d available pods when %d had been ready for long enough", c, counted, len(due))
		}
	})
}

// statusTime is when the status of a Fleet was last written.
func statusTime(f *v1alpha1.Fleet) time.Time {
	var last time.Time
	for _, fields := range f.ManagedFields {
		if fields.Subresource == "status" && fields.Time.After(last) {
			last = fields.Time.Time
		}
	}
	return last
}

// A roll that makes no progress in time says so, by itself, and goes on when it can.
func TestProgressDeadline(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), progressDeadline(2), gated))
		w.eventually(
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionFalse, v1alpha1.ReasonProgressDeadlineExceeded),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonProgressDeadlineExceeded),
			says("web", v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonMinimumUnavailable))
		w.openAllGates("web")
		w.eventually(settled("web"),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRolledOut))
		if reasons := w.reasons("web", v1alpha1.ConditionProgressing); reasons[0] != v1alpha1.ReasonRollingOut {
			t.Errorf("the deadline was missed from the start: %v", reasons)
		}
	})
}

// Time spent paused does not count: another Fleet, made after the pause, tells when the time is up.
func TestProgressDeadlineWhilePaused(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", gated, progressDeadline(2)))
		w.eventually(hasSome("web", live))
		w.change("web", paused)
		w.eventually(says("web", v1alpha1.ConditionProgressing, metav1.ConditionUnknown, v1alpha1.ReasonPaused))
		w.create(fleet("clock", gated, progressDeadline(3)))
		w.eventually(says("clock", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonProgressDeadlineExceeded))
		w.now(says("web", v1alpha1.ConditionProgressing, metav1.ConditionUnknown, v1alpha1.ReasonPaused))

		w.change("web", resumed)
		w.openAllGates("web")
		w.eventually(settled("web"))
		reasons := w.reasons("web", v1alpha1.ConditionProgressing)
		next := reasons[slices.Index(reasons, v1alpha1.ReasonPaused)+1]
		if next == v1alpha1.ReasonProgressDeadlineExceeded {
			t.Errorf("the deadline was missed while paused: %v", reasons)
		}
	})
}

// reasons are those that a condition has had, in order.
func (w *world) reasons(name, condition string) []string {
	var reasons []string
	for _, c := range w.record.history() {
		f, isFleet := c.object.(*v1alpha1.Fleet)
		if !isFleet || f.Name != name {
			continue
		}
		if is := meta.FindStatusCondition(f.Status.Conditions, condition); is != nil {
			reasons = append(reasons, is.Reason)
		}
	}
	return slices.Compact(reasons)
}
