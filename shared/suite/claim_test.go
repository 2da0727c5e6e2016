package suite

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 4: what belongs to a Fleet.

func TestOrphanIsAdopted(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		stray := w.createPod(orphan("stray", "web"))
		other := w.createPod(orphan("other", "db"))
		w.launch()
		w.create(fleet("web", replicas(2), paused))
		w.eventually(has("web", 1, named("stray")))
		if owner := metav1.GetControllerOf(w.pods("web", named(stray.Name))[0]); !isFleet(owner) {
			t.Errorf("the adopted pod's owner is %+v", owner)
		}
		// It is of no revision of the Fleet's, and goes when the template is rolled out.
		w.change("web", resumed)
		w.eventually(settled("web"), without(stray))
		w.now(unowned(other))
	})
}

func isFleet(owner *metav1.OwnerReference) bool {
	return owner != nil && owner.Kind == "Fleet" && owner.APIVersion == v1alpha1.SchemeGroupVersion.String() &&
		ptr.Deref(owner.BlockOwnerDeletion, false)
}

// unowned: a pod is there, lives, and nobody controls it.
func unowned(pod *corev1.Pod) claim {
	return func(now state) error {
		there := now.pods[pod.Name]
		if there == nil || there.UID != pod.UID || !live(there) || len(there.OwnerReferences) > 0 {
			return fmt.Errorf("pod %s is not there, alive and unowned: %+v", pod.Name, there)
		}
		return nil
	}
}

// A pod that stops matching is let go, still running, and replaced. When it matches again it is one too many.
func TestQuarantine(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		pod := w.pods("web")[0]
		w.patchPod(pod, `{"metadata":{"labels":{"app":"quarantined"}}}`)
		w.eventually(unowned(pod), settled("web"))
		w.nudge("web")
		w.now(unowned(pod))
		if n := w.everCreated("web"); n != 3 {
			t.Errorf("%d pods were created for 2 and a replacement", n)
		}

		w.patchPod(pod, `{"metadata":{"labels":{"app":"web"}}}`)
		w.eventually(wasAdopted(w, pod, "web"), settled("web"))
	})
}

// wasAdopted: a Fleet controlled the pod at some time after it was unowned.
func wasAdopted(w *world, pod *corev1.Pod, name string) claim {
	return func(now state) error {
		free := false
		for _, c := range w.record.changes {
			if c.object.GetUID() != pod.UID {
				continue
			}
			owner := metav1.GetControllerOf(c.object)
			free = free || owner == nil
			if free && owner != nil && owner.Name == name {
				return nil
			}
		}
		return fmt.Errorf("pod %s was not adopted by %s", pod.Name, name)
	}
}

// A pod that matches and belongs to another controller is not counted, changed or deleted.
func TestForeignPodIsNotTouched(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		web := w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		foreign := orphan("foreign", "web")
		foreign.Labels = w.pods("web")[0].Labels
		foreign.OwnerReferences = []metav1.OwnerReference{w.otherController()}
		foreign = w.createPod(foreign)
		w.eventually(servingPod(foreign))

		// The orphan came later: once it is adopted, and gone as one too many, the operator has seen both.
		marker := w.createPod(orphan("marker", "web"))
		w.eventually(without(marker), settled("web"))
		w.change("web", replicas(1))
		w.eventually(settled("web"))
		w.change("web", image("web:2.0"))
		w.eventually(settled("web"))
		w.delete("web")
		w.eventually(gone("web"), ownsNothing(web))
		w.now(servingPod(foreign))
		for _, c := range w.record.history() {
			if c.object.GetUID() == foreign.UID && metav1.GetControllerOf(c.object).Kind != "ReplicaSet" {
				t.Errorf("the foreign pod had the owners %v", c.object.GetOwnerReferences())
			}
		}
	})
}

// otherController is a reference to a ReplicaSet, which nobody keeps here.
func (w *world) otherController() metav1.OwnerReference {
	w.Helper()
	labels := map[string]string{"app": "web"}
	created, err := w.kube.AppsV1().ReplicaSets(w.namespace).Create(w.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "other"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(int32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: fleet("web").Spec.Template,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return *metav1.NewControllerRef(created, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
}

func servingPod(pod *corev1.Pod) claim {
	return func(now state) error {
		there := now.pods[pod.Name]
		if there == nil || there.UID != pod.UID || !serving(there) {
			return fmt.Errorf("pod %s is not there and serving: %+v", pod.Name, there)
		}
		return nil
	}
}

// A Fleet that is being deleted adopts nothing, and replaces nothing.
func TestNothingIsAdoptedWhileBeingDeleted(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		web := w.create(fleet("web", replicas(2), held))
		w.eventually(settled("web"))
		w.delete("web")
		w.eventually(observed("web"))
		stray := w.createPod(orphan("stray", "web"))
		w.eventually(servingPod(stray))

		// The status follows a pod that is lost after the orphan came: the operator has seen both.
		w.deletePod(w.pods("web", live)[0])
		w.eventually(counts("web", 1, 1, 1, 1))
		w.now(unowned(stray))
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
		w.releaseFleet("web")
		w.eventually(gone("web"), ownsNothing(web))
		w.now(unowned(stray))
	})
}

// What an orphaning deletion leaves behind, a later Fleet of the name takes over: the same pods, the same revision.
func TestSuccessorAdoptsAll(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(3)))
		w.eventually(settled("web"))
		pods, revision := w.pods("web"), w.read("web").Status.UpdateRevision
		w.delete("web", metav1.DeletePropagationOrphan)
		w.eventually(gone("web"))
		for _, pod := range pods {
			w.eventually(unowned(pod))
		}
		w.create(fleet("web", replicas(3)))
		w.eventually(settled("web"), has("web", 3, named(namesOf(pods)...)))
		if after := w.read("web").Status.UpdateRevision; after != revision {
			t.Errorf("the revision was %s and is %s", revision, after)
		}
		if n := w.everCreated("web"); n != 0 {
			t.Errorf("the successor created %d pods", n)
		}
	})
}

// Two Fleets that select the same pods leave each other's alone, and both say what is wrong.
func TestOverlappingSelectors(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		shared := selecting(map[string]string{"app": "shared"})
		w.create(fleet("one", replicas(2), shared))
		w.eventually(settled("one"))
		w.now(silent("one", v1alpha1.ConditionSelectorOverlap))
		w.create(fleet("two", replicas(3), shared, image("web:2.0")))
		overlaps := func(name, with string) claim {
			return all(
				says(name, v1alpha1.ConditionSelectorOverlap, metav1.ConditionTrue, v1alpha1.ReasonOverlap),
				mentions(name, v1alpha1.ConditionSelectorOverlap, with))
		}
		w.eventually(settled("one"), settled("two"), overlaps("one", "two"), overlaps("two", "one"))
		w.change("one", replicas(4))
		w.change("two", replicas(1))
		w.eventually(settled("one"), settled("two"))
		if one, two := w.everCreated("one"), w.everCreated("two"); one != 4 || two != 3 {
			t.Errorf("they fought: %d and %d pods were created, for 4 and 3", one, two)
		}

		w.delete("two")
		w.eventually(gone("two"), settled("one"), silent("one", v1alpha1.ConditionSelectorOverlap))
	})
}
