package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 2: the number of pods follows spec.replicas.

func TestScale(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		first := namesOf(w.pods("web", live))

		w.change("web", replicas(5))
		w.eventually(settled("web"))
		if kept := namesOf(w.pods("web", live, named(first...))); len(kept) != 2 {
			t.Errorf("of the pods %v, scaling up left only %v", first, kept)
		}
		w.change("web", replicas(1))
		w.eventually(settled("web"))
		w.change("web", replicas(0))
		w.eventually(settled("web"), has("web", 0))
		w.change("web", replicas(3))
		w.eventually(settled("web"))
		if n := w.everCreated("web"); n != 8 {
			t.Errorf("%d pods were created, not 2, then 3, then 3", n)
		}
	})
}

// A refusal ends the batch it comes in: of batches of 1, 2, 4 and so on under a quota of 4 the third is the last. It is
// told, and one pod at a time is asked for again until there is room.
func TestQuotaStopsSlowStart(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.allowPods(4)
		g := w.guard()
		w.launch()
		w.create(fleet("web", replicas(20)))
		w.eventually(has("web", 4, serving),
			says("web", v1alpha1.ConditionReplicaFailure, metav1.ConditionTrue, v1alpha1.ReasonFailedCreate),
			mentions("web", v1alpha1.ConditionReplicaFailure, "exceeded quota: pods"))
		const batches, retries = 1 + 2 + 4, 4
		if asked := g.askedBeforeSayingSo(t); asked != batches {
			t.Errorf("%d pods were asked for before the refusal was told, not 1, 2 and 4", asked)
		}
		w.eventually(g.asked(batches + retries))
		w.allowPods(20)
		w.eventually(settled("web"), silent("web", v1alpha1.ConditionReplicaFailure))
	})
}

// asked: this many pods have been asked for, at least.
func (g *guard) asked(n int) claim {
	return func(state) error {
		if asked := len(g.all(createPods)); asked < n {
			return fmt.Errorf("%d pods have been asked for, not %d", asked, n)
		}
		return nil
	}
}

// askedBeforeSayingSo counts the pods that were asked for before a status said that they are refused.
func (g *guard) askedBeforeSayingSo(t *testing.T) (asked int) {
	for _, write := range g.all(createPods, updateStatus) {
		if kindOf(write) == createPods {
			asked++
			continue
		}
		var f v1alpha1.Fleet
		if err := json.Unmarshal(write.Object.Raw, &f); err != nil {
			t.Fatal(err)
		}
		if meta.IsStatusConditionTrue(f.Status.Conditions, v1alpha1.ConditionReplicaFailure) {
			return asked
		}
	}
	t.Fatal("no status said that pods are refused")
	return 0
}

// The pod whose loss matters least goes first: unassigned, then pending, then not ready, then of lower deletion cost,
// then newest.
func TestScaleDownByRank(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(5)))
		w.eventually(settled("web"))
		pods := w.pods("web", live)
		older, cheap, unready, pending := pods[:2], pods[2], pods[3], pods[4] // not in the order of their names

		unassigned := orphan("unassigned", "web")
		unassigned.Labels = pods[0].Labels
		unassigned.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
		unassigned = w.createPod(unassigned)
		w.eventually(without(unassigned), has("web", 5, live))

		w.patchPod(pending, `{"spec":{"containers":[{"name":"app","image":"`+broken+`"}]}}`)
		w.eventually(has("web", 1, live, isPending))
		w.command(cp.Kubelet.Unready, unready)
		w.patchPod(cheap, `{"metadata":{"annotations":{"`+corev1.PodDeletionCost+`":"-1"}}}`)
		for i, next := range []*corev1.Pod{pending, unready, cheap} {
			w.change("web", replicas(int32(4-i)))
			w.eventually(without(next), has("web", 4-i, live), observed("web"))
		}
		w.eventually(settled("web"))

		// Creation times have whole seconds.
		time.Sleep(time.Until(newest(older).Add(time.Second)))
		w.change("web", replicas(3))
		w.eventually(settled("web"))
		w.change("web", replicas(2))
		w.eventually(settled("web"), has("web", 2, live, named(namesOf(older)...)))
	})
}

func isPending(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending }

func newest(pods []*corev1.Pod) time.Time {
	return slices.MaxFunc(pods, func(a, b *corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	}).CreationTimestamp.Time
}

// What is deleted is the pod that was looked at, and no later one of its name.
func TestDeletionsNameUID(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		g := w.guard()
		w.launch()
		w.create(fleet("web", replicas(3), historyLimit(0)))
		w.eventually(settled("web"))
		w.change("web", replicas(2))
		w.eventually(settled("web"))
		w.change("web", image("web:2.0"))
		w.eventually(settled("web"), revisions("web", "web:2.0"))

		deletions := g.all(deletePods, deleteRevisions)
		if len(deletions) < 4 {
			t.Errorf("%d deletions, not of 3 pods and a revision", len(deletions))
		}
		for _, deletion := range deletions {
			var options metav1.DeleteOptions
			var object metav1.PartialObjectMetadata
			if err := json.Unmarshal(deletion.Options.Raw, &options); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(deletion.OldObject.Raw, &object); err != nil {
				t.Fatal(err)
			}
			if p := options.Preconditions; p == nil || p.UID == nil || *p.UID != object.UID {
				t.Errorf("%s %s has the preconditions %+v, not the uid", kindOf(deletion), deletion.Name, p)
			}
		}
	})
}

// A template that the API server takes for a Fleet and not for a pod is a refusal like any other, and a new one mends
// it.
func TestRefusedTemplate(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), image(" ")))
		w.eventually(
			says("web", v1alpha1.ConditionReplicaFailure, metav1.ConditionTrue, v1alpha1.ReasonFailedCreate),
			mentions("web", v1alpha1.ConditionReplicaFailure, "spec.containers[0].image"))
		w.change("web", image("web:1.0"))
		w.eventually(settled("web"), silent("web", v1alpha1.ConditionReplicaFailure))
	})
}
