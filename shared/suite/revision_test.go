package suite

import (
	"fmt"
	"math"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 6: one ControllerRevision a template, the wanted one the newest.

func TestRevisions(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		f := w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"), revisions("web", "web:1.0"))
		first := w.pods("web")[0].Labels[appsv1.ControllerRevisionHashLabelKey]

		w.change("web", image("web:2.0"))
		w.eventually(settled("web"), revisions("web", "web:1.0", "web:2.0"))
		for _, revision := range w.revisions("web") {
			if !metav1.IsControlledBy(revision, f) || revision.Labels["app"] != "web" {
				t.Errorf("revision %s: owners %v, labels %v", revision.Name, revision.OwnerReferences, revision.Labels)
			}
		}

		// Back to the first template: its revision again, and its hash, as the newest.
		w.change("web", image("web:1.0"))
		w.eventually(settled("web"), revisions("web", "web:2.0", "web:1.0"))
		if again := w.pods("web", live)[0].Labels[appsv1.ControllerRevisionHashLabelKey]; again != first {
			t.Errorf("the hash of one template was %s and is %s", first, again)
		}
		if newest := w.revisions("web")[1]; newest.Revision != 3 {
			t.Errorf("the newest revision has the number %d, not 3", newest.Revision)
		}

		// What is no change of the template makes no revision.
		w.change("web", replicas(3), minReady(1), rolling("1", "1"))
		w.eventually(settled("web"), revisions("web", "web:2.0", "web:1.0"))
	})
}

// revisions are the Fleet's, in the order of their numbers.
func (w *world) revisions(name string) (found []*appsv1.ControllerRevision) {
	_ = w.record.judge(func(now state) error {
		found = slices.SortedFunc(slices.Values(now.revisionsOf(name)), byNumber)
		return nil
	}, nil)
	return found
}

// The oldest revisions beyond the limit go. One that is in use is no history.
func TestHistoryLimit(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", historyLimit(2)))
		w.eventually(settled("web"))
		for _, next := range []string{"web:2.0", "web:3.0", "web:4.0", "web:5.0"} {
			w.change("web", image(next))
			w.eventually(settled("web"))
		}
		w.eventually(revisions("web", "web:3.0", "web:4.0", "web:5.0"))
		w.change("web", image("web:3.0"))
		w.eventually(settled("web"), revisions("web", "web:4.0", "web:5.0", "web:3.0"))

		w.change("web", historyLimit(0), image(broken), rolling("1", "0"))
		w.eventually(hasSome("web", live, hasImage(broken)), revisions("web", "web:3.0", broken))
		w.change("web", image("web:6.0"))
		w.eventually(settled("web"), revisions("web", "web:6.0"))
	})
}

// A revision that somebody has deleted is written again, and its pods stay.
func TestDeletedRevisionIsRestored(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		lost := w.revisions("web")[0]
		err := w.kube.AppsV1().ControllerRevisions(w.namespace).Delete(w.Context(), lost.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.eventually(settled("web"), restored(lost))
		w.nudge("web")
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
	})
}

// A template that can have no revision stops its own roll and nothing else: the Fleet says what is wrong, and scales, heals
// and publishes what it has.
func TestRefusedRevision(t *testing.T) {
	label := func(value string) trait {
		return func(f *v1alpha1.Fleet) { f.Spec.Template.Labels["example.com/note"] = value }
	}
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		refused := all(observed("web"),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionFalse, v1alpha1.ReasonFailedCreateRevision),
			mentions("web", v1alpha1.ConditionProgressing, "metadata.labels"),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonFailedCreateRevision),
			computes("web", kstatus.FailedStatus))
		w.change("web", label("é"))
		w.eventually(refused, counts("web", 2, 0, 2, 2),
			tells("web", v1alpha1.ReasonFailedCreateRevision, corev1.EventTypeWarning, "metadata.labels"))
		w.change("web", replicas(3))
		w.eventually(refused, counts("web", 3, 0, 3, 3), published("web", fleetZone))
		w.deletePod(w.pods("web", live)[0])
		w.eventually(refused, counts("web", 3, 0, 3, 3), published("web", fleetZone))

		w.change("web", label("e"))
		w.eventually(settled("web"), silent("web", v1alpha1.ConditionStalled), published("web", fleetZone),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRolledOut))
	})
}

// A revision that a quota refuses is asked for again until there is room.
func TestQuotaRefusesRevision(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.allowRevisions(0)
		w.launch()
		refused := all(observed("web"),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionFalse, v1alpha1.ReasonFailedCreateRevision),
			says("web", v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonFailedCreateRevision),
			mentions("web", v1alpha1.ConditionReconciling, "exceeded quota: revisions"),
			computes("web", kstatus.InProgressStatus))
		w.create(fleet("web", replicas(2)))
		w.eventually(refused, has("web", 0))
		w.allowRevisions(1)
		w.eventually(settled("web"))

		w.change("web", image("web:2.0"), replicas(0))
		w.eventually(refused, has("web", 0, live))
		w.allowRevisions(2)
		w.eventually(settled("web"), revisions("web", "web:1.0", "web:2.0"))
	})
}

// After the largest number there is comes none. The Fleet says so, and goes on when there is room again.
func TestLargestRevisionNumber(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		first := w.revisions("web")[0]
		w.renumber(first, math.MaxInt64)
		w.change("web", image("web:2.0"), replicas(3))
		w.eventually(counts("web", 3, 0, 3, 3), revisions("web", "web:1.0"),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonFailedCreateRevision),
			mentions("web", v1alpha1.ConditionStalled, first.Name))
		w.renumber(first, 7)
		w.eventually(settled("web"), revisions("web", "web:1.0", "web:2.0"))
		if newest := w.revisions("web")[1]; newest.Revision != 8 {
			t.Errorf("the newest revision has the number %d, not 8", newest.Revision)
		}
	})
}

// renumber gives a revision another number.
func (w *world) renumber(revision *appsv1.ControllerRevision, number int64) {
	w.Helper()
	patched, err := w.kube.AppsV1().ControllerRevisions(w.namespace).Patch(w.Context(), revision.Name,
		types.MergePatchType, fmt.Appendf(nil, `{"revision":%d}`, number), metav1.PatchOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(patched)
}

// restored: another revision has the name of one that was deleted.
func restored(lost *appsv1.ControllerRevision) claim {
	return func(now state) error {
		if there := now.revisions[lost.Name]; there == nil || there.UID == lost.UID {
			return fmt.Errorf("revision %s is not restored", lost.Name)
		}
		return nil
	}
}
