package suite

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Behaviour 3: a pod that is lost is replaced, once.

func TestLostPodIsReplaced(t *testing.T) {
	losses := []struct {
		how  string
		lose func(*world, *corev1.Pod)
	}{
		{"deleted", (*world).deletePod},
		{"evicted", func(w *world, pod *corev1.Pod) { w.command(cp.Kubelet.Fail, pod) }},
		{"succeeded", (*world).succeed},
	}
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		for _, loss := range losses {
			name := loss.how
			w.create(fleet(name, replicas(3)))
			w.eventually(settled(name))
			loss.lose(w, w.pods(name)[0])
			w.eventually(settled(name))
			w.nudge(name)
			if n := w.everCreated(name); n != 4 {
				t.Errorf("%s: %d pods were created for 3 and a replacement", name, n)
			}
		}
	})
}

// succeed ends a pod as one whose containers have all exited with 0.
func (w *world) succeed(pod *corev1.Pod) {
	w.Helper()
	succeeded, err := w.kube.CoreV1().Pods(w.namespace).Patch(w.Context(), pod.Name, types.MergePatchType,
		[]byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(succeeded)
}

// All pods at once are lost while nobody looks.
func TestHealsWhatHappenedWhileAway(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(3)))
		w.eventually(settled("web"))
		w.stopOperators()
		for _, pod := range w.pods("web") {
			w.deletePod(pod)
		}
		w.change("web", image("web:2.0"))
		w.launch()
		w.eventually(settled("web"), has("web", 3, serving, hasImage("web:2.0")))
	})
}

// A pod on its way out is neither counted nor deleted again, however long it takes.
func TestTerminatingPodIsLeftAlone(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		g := w.guard()
		w.launch()
		w.create(fleet("web", replicas(2), heldPods))
		w.eventually(settled("web"))
		terminating := w.pods("web")[0]
		w.deletePod(terminating)
		w.eventually(settled("web"), has("web", 3), has("web", 2, serving))

		// Scaling down takes a live pod, and scaling up makes one.
		w.change("web", replicas(1))
		w.eventually(settled("web"), has("web", 1, serving))
		w.change("web", replicas(2))
		w.eventually(settled("web"), has("web", 2, serving))
		w.nudge("web")
		if n := w.everCreated("web"); n != 4 {
			t.Errorf("%d pods were created, not 2, a replacement and one more", n)
		}
		if deletions := g.all(deletePods); len(deletions) != 1 {
			t.Errorf("%d deletions, not one to scale down", len(deletions))
		}
		for _, pod := range w.pods("web") {
			w.letGo(pod)
		}
		w.eventually(settled("web"), has("web", 2))
	})
}

// A pod that stops being ready is still a pod: nothing replaces it, and it serves again when it is ready.
func TestUnreadyPodIsKept(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		pod := w.pods("web")[0]
		w.command(cp.Kubelet.Unready, pod)
		w.eventually(counts("web", 2, 2, 1, 1))
		w.command(cp.Kubelet.Ready, pod)
		w.eventually(settled("web"))
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
	})
}
