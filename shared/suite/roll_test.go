package suite

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Behaviour 5: a changed template replaces the pods within bounds.

// rolls are strategies, with the bounds that they resolve to: a surge is rounded up, an unavailability down, and both
// zero makes one unavailable.
var rolls = []struct {
	name               string
	replicas           int32
	surge, unavailable string
	bounds
}{
	{"defaults", 10, "25%", "25%", bounds{13, 8}},
	{"rounding", 3, "25%", "25%", bounds{4, 3}},
	{"surge-only", 4, "1", "0", bounds{5, 4}},
	{"unavailable-only", 4, "0", "1", bounds{4, 3}},
	{"both-zero", 3, "0", "0", bounds{3, 2}},
	{"both-round-to-zero", 2, "0%", "25%", bounds{2, 1}},
	{"surge-of-more-than-all", 2, "200%", "0", bounds{6, 2}},
	{"all-unavailable", 3, "0", "100%", bounds{3, 0}},
}

// Pods that do not become ready bring the roll to the limits of both bounds; once they do, it runs to its end.
func TestRollKeepsBounds(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		for _, r := range rolls {
			w.create(fleet(r.name, replicas(r.replicas), rolling(r.surge, r.unavailable)))
		}
		for _, r := range rolls {
			w.eventually(settled(r.name))
			w.change(r.name, gated, image("web:2.0"))
		}
		for _, r := range rolls {
			limit := min(r.maxLive, r.minAvailable+int(r.replicas))
			w.eventually(has(r.name, r.minAvailable, serving), has(r.name, limit, live))
			w.openAllGates(r.name)
			w.eventually(settled(r.name))
			if reached := w.kept(r.name, r.bounds); reached.minAvailable != r.minAvailable || reached.maxLive < limit {
				t.Errorf("%s: reached %+v of %+v", r.name, reached, r.bounds)
			}
		}
	})
}

// openAllGates opens the gates of a Fleet's pods until it has settled.
func (w *world) openAllGates(name string) {
	w.Helper()
	for {
		w.eventually(either(settled(name), hasSome(name, live, isGated)))
		pods := w.pods(name, live, isGated)
		if len(pods) == 0 {
			return
		}
		for _, pod := range pods {
			w.openGate(pod)
		}
	}
}

func isGated(pod *corev1.Pod) bool { return len(pod.Spec.SchedulingGates) > 0 }

// Several templates in a row, each before the one before it is rolled out, and the number of pods changed meanwhile.
func TestRollOverRoll(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(6), rolling("2", "1")))
		w.eventually(settled("web"))
		for i := range 5 {
			w.change("web", image(fmt.Sprintf("web:%d.0", i+2)))
			w.eventually(hasSome("web", live, hasImage(fmt.Sprintf("web:%d.0", i+2))))
		}
		w.eventually(settled("web"))
		w.kept("web", bounds{maxLive: 8, minAvailable: 5})

		w.change("web", image("web:7.0"), replicas(9))
		w.change("web", image("web:8.0"), replicas(3))
		w.eventually(settled("web"), has("web", 3, serving, hasImage("web:8.0")))
	})
}

// A template that does not come up takes no capacity with it. A corrected one goes forward: no pod of the first
// template is made any more.
func TestBrokenTemplateStalls(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(4), rolling("1", "0"), progressDeadline(1)))
		w.eventually(settled("web"))
		old := w.pods("web")
		w.change("web", image(broken))
		w.eventually(
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionFalse, v1alpha1.ReasonProgressDeadlineExceeded),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonProgressDeadlineExceeded),
			says("web", v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonMinimumAvailable),
			has("web", 1, live, hasImage(broken)))
		w.now(has("web", 4, serving, named(namesOf(old)...)))

		w.change("web", image("web:2.0"))
		w.eventually(settled("web"), has("web", 4, serving, hasImage("web:2.0")),
			says("web", v1alpha1.ConditionProgressing, metav1.ConditionTrue, v1alpha1.ReasonRolledOut),
			silent("web", v1alpha1.ConditionStalled))
		w.kept("web", bounds{maxLive: 5, minAvailable: 4})
		if n := w.everCreated("web", hasImage("web:1.0")); n != 4 {
			t.Errorf("%d pods were created of the first template for 4", n)
		}
	})
}

// Of the old pods, those that serve nobody go first, and none that serves goes for them.
func TestUnavailableOldPodsGoFirst(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(4), rolling("0", "1")))
		w.eventually(settled("web"))
		unready := w.pods("web")[2]
		w.command(cp.Kubelet.Unready, unready)
		w.eventually(counts("web", 4, 4, 3, 3))
		w.change("web", gated, image("web:2.0"))
		w.eventually(without(unready), has("web", 1, live, isGated))
		w.nudge("web")
		w.now(has("web", 3, serving))
		w.openAllGates("web")
		w.eventually(settled("web"))
	})
}

// A broken template can be taken back before anything of it ever ran.
func TestRollBackFromStall(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(3)))
		w.eventually(settled("web"))
		old := namesOf(w.pods("web"))
		w.change("web", image(broken))
		w.eventually(hasSome("web", live, hasImage(broken)))
		w.change("web", image("web:1.0"))
		w.eventually(settled("web"), has("web", 3, named(old...)), revisions("web", broken, "web:1.0"))
	})
}
