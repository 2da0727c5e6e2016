package suite

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	fleetapply "example.com/twinloop/shared/api/generated/applyconfiguration/fleet/v1alpha1"
)

// Behaviour 8: what a Fleet says of itself.

func TestStatusCounts(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(4), rolling("1", "1")))
		w.eventually(settled("web"))
		f := w.read("web")
		if f.Status.Selector != "app=web" {
			t.Errorf("selector is %q", f.Status.Selector)
		}
		if f.Status.CurrentRevision != w.revisions("web")[0].Name {
			t.Errorf("currentRevision is %q", f.Status.CurrentRevision)
		}

		// Two new pods are in flight, three old ones serve, of which one stops being ready.
		w.change("web", gated, image("web:2.0"))
		w.eventually(counts("web", 5, 2, 3, 3))
		w.command(cp.Kubelet.Unready, w.pods("web", serving)[0])
		w.eventually(counts("web", 5, 2, 2, 2),
			says("web", v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonMinimumUnavailable))
		rolling := w.read("web").Status
		if rolling.CurrentRevision != f.Status.CurrentRevision || rolling.UpdateRevision != w.revisions("web")[1].Name {
			t.Errorf("rolling from %q to %q", rolling.CurrentRevision, rolling.UpdateRevision)
		}
		w.openAllGates("web")
		w.eventually(settled("web"))
	})
}

// kstatus, by which kubectl plugins, Flux and others wait, reads a Fleet at each stage of its life.
func TestKstatus(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), rolling("1", "0")))
		w.eventually(settled("web"), computes("web", kstatus.CurrentStatus))
		w.change("web", gated, image("web:2.0"))
		w.now(computes("web", kstatus.InProgressStatus))
		w.eventually(observed("web"), computes("web", kstatus.InProgressStatus))
		w.change("web", progressDeadline(1))
		w.eventually(observed("web"), computes("web", kstatus.FailedStatus))
		w.openAllGates("web")
		w.eventually(computes("web", kstatus.CurrentStatus))
		w.change("web", held)
		w.delete("web")
		w.now(computes("web", kstatus.TerminatingStatus))
		w.releaseFleet("web")
		w.eventually(gone("web"))
		w.neverCurrentTooEarly("web")
	})
}

func computes(name string, want kstatus.Status) claim {
	return the(name, func(_ state, f *v1alpha1.Fleet) error {
		result, err := compute(f)
		if err == nil && result.Status != want {
			err = fmt.Errorf("kstatus computes %s (%s), not %s", result.Status, result.Message, want)
		}
		return err
	})
}

func compute(f *v1alpha1.Fleet) (*kstatus.Result, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(f)
	if err != nil {
		return nil, err
	}
	return kstatus.Compute(&unstructured.Unstructured{Object: content})
}

// neverCurrentTooEarly fails the test if a status, the one before the operator's first included, was taken for that of a
// settled Fleet when it was not.
func (w *world) neverCurrentTooEarly(name string) {
	w.Helper()
	for _, c := range w.record.history() {
		f, isFleet := c.object.(*v1alpha1.Fleet)
		if !isFleet || f.Name != name {
			continue
		}
		result, err := compute(f)
		if err != nil {
			w.Fatal(err)
		}
		if result.Status == kstatus.CurrentStatus && f.Status.UpdatedReplicas != *f.Spec.Replicas {
			w.Errorf("%s: current, with %d of %d pods updated", c, f.Status.UpdatedReplicas, *f.Spec.Replicas)
		}
	}
}

// What somebody else writes stays: a condition in the status, and anything of the metadata, written again and again
// while the operator writes too.
func TestForeignFieldsSurvive(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(3), publishedIn(fleetZone)))
		w.eventually(settled("web"))
		somebody := metav1.ApplyOptions{FieldManager: "somebody"}
		must[*v1alpha1.Fleet](t)(w.fleets.ApplyStatus(w.Context(), foreignCondition("web", w.namespace), somebody))
		w.change("web", image("web:2.0"))
		const writes = 30
		for i := range writes {
			w.patchFleet("web", fmt.Sprintf(`{"metadata":{"annotations":{"example.com/n%d":"kept"}}}`, i))
		}
		w.change("web", unpublished)
		w.eventually(settled("web"), silent("web", v1alpha1.ConditionPublished),
			says("web", foreignType, metav1.ConditionTrue, "Checked"))
		f := w.read("web")
		if len(f.Annotations) != writes {
			t.Errorf("of %d annotations are left: %v", writes, f.Annotations)
		}
	})
}

const foreignType = "example.com/Checked"

func foreignCondition(name, namespace string) *fleetapply.FleetApplyConfiguration {
	condition := metav1apply.Condition().
		WithType(foreignType).
		WithStatus(metav1.ConditionTrue).
		WithReason("Checked").
		WithMessage("").
		WithLastTransitionTime(metav1.Now())
	return fleetapply.Fleet(name, namespace).WithStatus(fleetapply.FleetStatus().WithConditions(condition))
}

// Each condition says of which generation it speaks, and its time is that of its last change of status.
func TestConditions(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(4), rolling("1", "1")))
		w.eventually(settled("web"))
		before := w.read("web").Status.Conditions
		w.change("web", replicas(5))
		w.eventually(settled("web"))
		f := w.read("web")
		for _, is := range f.Status.Conditions {
			if is.ObservedGeneration != f.Generation {
				t.Errorf("%s is of generation %d, not %d", is.Type, is.ObservedGeneration, f.Generation)
			}
			was := meta.FindStatusCondition(before, is.Type)
			if was == nil || was.Status != is.Status || !was.LastTransitionTime.Equal(&is.LastTransitionTime) {
				t.Errorf("%s was %+v and is %+v", is.Type, was, is)
			}
		}
	})
}

// A change of the metadata, which changes nothing, makes the operator write nothing.
func TestNothingChangedNothingWritten(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		g := w.guard()
		w.launch()
		w.create(fleet("web", replicas(2)))
		w.create(fleet("marker"))
		w.eventually(settled("web"), settled("marker"))
		w.nudge("web")
		g.forget()
		w.patchFleet("web", `{"metadata":{"annotations":{"example.com/note":"changed"}}}`)
		w.patchPod(w.pods("web")[0], `{"metadata":{"annotations":{"example.com/note":"changed"}}}`)
		w.patchPod(w.pods("marker")[0], `{"metadata":{"annotations":{"example.com/note":"changed"}}}`)
		w.nudge("marker")
		for _, write := range g.all() {
			if write.Name != "marker" && write.Resource.Resource != "events" {
				t.Errorf("%s %s", kindOf(write), write.Name)
			}
		}
	})
}

// A selector that the schema lets through and no API server would match by is said to be wrong, and no pod is made.
func TestWrongSelectorStalls(t *testing.T) {
	wrong := map[string]map[string]string{
		"no-label":      {"app": "not a label"},
		"revision-hash": {"app": "web", "controller-revision-hash": "abc"},
	}
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		for name, labels := range wrong {
			w.create(fleet(name, selecting(labels)))
			w.eventually(observed(name),
				says(name, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidSelector),
				mentions(name, v1alpha1.ConditionStalled, "spec.selector"),
				computes(name, kstatus.FailedStatus))
			w.nudge(name)
			w.now(has(name, 0))
		}
	})
}

// observedGeneration follows while a Fleet is held, terminating.
func TestStatusWhileTerminating(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), held))
		w.eventually(settled("web"))
		w.delete("web")
		w.eventually(observed("web"))
		w.change("web", replicas(5))
		w.eventually(observed("web"), has("web", 2, live))
		w.deletePod(w.pods("web", live)[0])
		w.eventually(counts("web", 1, 1, 1, 1))
		w.releaseFleet("web")
		w.eventually(gone("web"))
	})
}
