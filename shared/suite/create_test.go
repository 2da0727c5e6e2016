package suite

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 1: N pods of the template, named, labelled and owned.

func TestCreate(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		created := w.create(fleet("web", replicas(3), func(f *v1alpha1.Fleet) {
			f.Spec.Template.Labels["tier"] = "front"
			f.Spec.Template.Annotations = map[string]string{"example.com/note": "kept"}
		}))
		w.eventually(settled("web"))

		f := w.read("web")
		if !strings.HasPrefix(f.Status.UpdateRevision, "web-") {
			t.Fatalf("the revision is called %q, not web-<hash>", f.Status.UpdateRevision)
		}
		hash := hashOf(f, f.Status.UpdateRevision)
		labels := map[string]string{"app": "web", "tier": "front", appsv1.ControllerRevisionHashLabelKey: hash}
		owner := *metav1.NewControllerRef(created, v1alpha1.FleetKind)
		pods := w.pods("web")
		for _, pod := range pods {
			if suffix, ok := strings.CutPrefix(pod.Name, f.Status.UpdateRevision+"-"); !ok || suffix == "" {
				t.Errorf("pod %s is not called %s-<suffix>", pod.Name, f.Status.UpdateRevision)
			}
			if !maps.Equal(pod.Labels, labels) {
				t.Errorf("pod %s is labelled %v, not %v", pod.Name, pod.Labels, labels)
			}
			if pod.Annotations["example.com/note"] != "kept" {
				t.Errorf("pod %s lacks the template's annotation: %v", pod.Name, pod.Annotations)
			}
			if diff := cmp.Diff([]metav1.OwnerReference{owner}, pod.OwnerReferences); diff != "" {
				t.Errorf("pod %s has other owners (-want +got):\n%s", pod.Name, diff)
			}
		}
		w.now(revisions("web", "web:1.0"))
		if n := w.everCreated("web"); n != 3 {
			t.Errorf("%d pods were created for 3", n)
		}
	})
}

func TestCreateWithDefaults(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web"))
		w.eventually(settled("web"), has("web", 1, live))
	})
}

func TestCreateWithNoReplicas(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(0)))
		w.eventually(settled("web"), revisions("web", "web:1.0"),
			says("web", v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonMinimumAvailable))
		if n := w.everCreated("web"); n != 0 {
			t.Errorf("%d pods were created for none", n)
		}
	})
}

// One quantity spelled in two ways is one template.
func TestSpellingIsNoRoll(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		w.patchFleet("web", askingFor("1.5Gi"))
		w.eventually(settled("web"))
		before := namesOf(w.pods("web", live))

		w.patchFleet("web", askingFor("1536Mi"))
		if raw := w.read("web"); raw.Generation < 3 {
			t.Fatalf("the API server took 1.5Gi and 1536Mi for one spelling: generation %d", raw.Generation)
		}
		w.eventually(settled("web"))
		w.nudge("web")
		if after := namesOf(w.pods("web", live)); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the pods were %v and are %v", before, after)
		}
		if n := len(w.read("web").Status.UpdateRevision); n == 0 {
			t.Error("no revision")
		}
		w.now(revisions("web", "web:1.0", "web:1.0"))
	})
}

func askingFor(memory string) string {
	return fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[
		{"name":"app","image":"web:1.0","resources":{"requests":{"memory":%q}}}]}}}}`, memory)
}

// What the API server adds to a pod or a stored template by default is no change of the template, nor is a new process.
func TestRestartIsNoRoll(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		w.restart()
		w.nudge("web")
		w.eventually(settled("web"), revisions("web", "web:1.0"))
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
	})
}

// A revision's name can be taken by one of another template. Here somebody has put one there.
func TestHashCollision(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		first := w.create(fleet("web"))
		w.eventually(settled("web"))
		taken := w.read("web").Status.UpdateRevision
		w.delete("web")
		w.eventually(gone("web"), ownsNothing(first))

		w.createRevision(taken, `{"spec":{"containers":[{"name":"other","image":"other:1.0"}]}}`)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		f := w.read("web")
		if f.Status.CollisionCount == nil || *f.Status.CollisionCount != 1 {
			t.Errorf("collisionCount is %v, not 1", f.Status.CollisionCount)
		}
		if f.Status.UpdateRevision == taken {
			t.Errorf("the revision has the name %s, which was taken", taken)
		}
	})
}

// A Fleet is what its uid says. One that is made again under the name of one just deleted has pods of its own.
func TestSameNameAgain(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		first := w.create(fleet("web", replicas(3)))
		w.eventually(settled("web"))
		w.delete("web")
		w.eventually(gone("web"))
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"), ownsNothing(first))
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
	})
}

func TestSelectorOfRequirements(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2), func(f *v1alpha1.Fleet) {
			f.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"web", "www"}},
				{Key: "canary", Operator: metav1.LabelSelectorOpDoesNotExist},
			}}
		}))
		w.eventually(settled("web"))
		if selector := w.read("web").Status.Selector; selector != "app in (web,www),!canary" {
			t.Errorf("the selector is written %q", selector)
		}
		canary := w.pods("web")[0]
		w.patchPod(canary, `{"metadata":{"labels":{"canary":"true"}}}`)
		w.eventually(settled("web"), unowned(canary))
	})
}

// everCreated counts the pods of all the kinds asked for that a Fleet was ever given.
func (w *world) everCreated(name string, are ...func(*corev1.Pod) bool) int {
	n := 0
	f := w.read(name)
	for _, c := range w.record.history() {
		pod, isPod := podIn(c)
		if isPod && c.event == watch.Added && metav1.IsControlledBy(pod, f) && isAll(pod, are) {
			n++
		}
	}
	return n
}
