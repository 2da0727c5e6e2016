package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestDecide(t *testing.T) {
	since := func(ago time.Duration) situation {
		return situation{ip: "10.244.0.1", running: noon.Add(-ago), terminating: noon.Add(-ago)}
	}
	wished := func(w wish) situation { return situation{ip: "10.244.0.1", running: noon, wish: w} }
	const second = time.Second
	slow, lingering, stuck := pace{readyAfter: second}, pace{terminateAfter: 5 * second}, pace{terminateAfter: time.Hour}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		know situation
		pace pace
		want string
	}{
		"new":                         {newPod(), situation{}, pace{}, "bind"},
		"gated":                       {newPod(gated), situation{}, pace{}, "nothing"},
		"bound":                       {newPod(bound), since(0), pace{}, "Running ready"},
		"bound, slow":                 {newPod(bound), since(0), slow, "Running not ready, again in 1s"},
		"bound, slow, later":          {newPod(bound), since(second), slow, "Running ready"},
		"bound, manual":               {newPod(bound), since(time.Hour), pace{manual: true}, "Running not ready"},
		"manual, wished ready":        {newPod(bound), wished(wishReady), pace{manual: true}, "Running ready"},
		"wished not ready":            {newPod(bound), wished(wishUnready), pace{}, "Running not ready"},
		"settled":                     {newPod(bound, settled), since(0), pace{}, "nothing"},
		"settled, now slow":           {newPod(bound, settled), since(0), pace{readyAfter: time.Hour}, "nothing"},
		"settled, wished not ready":   {newPod(bound, settled), wished(wishUnready), pace{}, "Running not ready"},
		"settled, wished failed":      {newPod(bound, settled), wished(wishFailed), pace{}, "Failed not ready"},
		"failed, wished ready":        {newPod(bound, failing), wished(wishReady), pace{}, "nothing"},
		"broken":                      {newPod(bound, broken), since(time.Hour), pace{}, "Pending not ready"},
		"broken, wished ready":        {newPod(bound, broken), wished(wishReady), pace{}, "Pending not ready"},
		"on another node":             {newPod(elsewhere), since(0), pace{}, "nothing"},
		"deleted":                     {newPod(bound, deleted(30)), since(0), pace{}, "remove"},
		"deleted unbound":             {newPod(deleted(30)), since(0), pace{}, "nothing"},
		"deleted, held by finalizers": {newPod(bound, deleted(0)), since(0), pace{}, "nothing"},
		"deleted, slow":               {newPod(bound, deleted(30)), since(second), lingering, "again in 4s"},
		"deleted, slower than grace":  {newPod(bound, deleted(3)), since(second), stuck, "again in 2s"},
		"deleted, wished ready":       {newPod(bound, deleted(30)), wished(wishReady), pace{}, "remove"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(decide(test.pod, test.know, test.pace, noon)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A pod is settled by its own last step: what decide wrote, it does not write again, however late it is.
func TestDecideSettles(t *testing.T) {
	for _, with := range [][]func(*corev1.Pod){{bound}, {bound, broken}} {
		pod := newPod(with...)
		know := situation{ip: "10.244.0.1", running: noon}
		pod.Status = *decide(pod, know, pace{}, noon).status
		if again := decide(pod, know, pace{}, noon.Add(time.Hour)); !again.none() {
			t.Errorf("%s: %s", pod.Spec.Containers[0].Image, describe(again))
		}
	}
}

func TestTransitionTimes(t *testing.T) {
	pod := newPod(bound, settled)
	later := noon.Add(time.Minute)
	status := decide(pod, situation{ip: "10.244.0.1", wish: wishUnready}, pace{}, later).status
	for _, condition := range status.Conditions {
		moved := condition.LastTransitionTime.Time.Equal(later)
		if wanted := condition.Type != corev1.PodInitialized; moved != wanted {
			t.Errorf("%s moved: %v, want %v", condition.Type, moved, wanted)
		}
	}
}

func TestTag(t *testing.T) {
	for image, want := range map[string]string{
		"web":                             "",
		"web:broken":                      "broken",
		"registry:5000/web":               "",
		"registry:5000/team/web:1.0":      "1.0",
		"web:broken@sha256:0123456789abc": "broken",
	} {
		if got := tag(image); got != want {
			t.Errorf("tag(%s) = %q, want %q", image, got, want)
		}
	}
}

func TestAddressesAreUniqueAndComeBackLate(t *testing.T) {
	m := newMemory()
	first := recallNew(m, "first")
	m.forget("first")
	if second := recallNew(m, "second"); second == first {
		t.Errorf("%s was given out again at once", first)
	}
	old := newPod(bound)
	old.UID, old.Status.PodIP = "old", "10.244.0.3"
	m.learn(old)
	if third := recallNew(m, "third"); third == "10.244.0.3" {
		t.Error("an earlier kubelet's address was given out")
	}
}

func recallNew(m *memory, uid types.UID) string {
	pod := newPod(bound)
	pod.UID = uid
	m.learn(pod)
	s, _ := m.recall(pod, noon)
	return s.ip
}

func describe(s step) string {
	text := ""
	switch {
	case s.bind:
		text = "bind"
	case s.remove:
		text = "remove"
	case s.status != nil:
		text = string(s.status.Phase) + " not ready"
		if isReady(&corev1.Pod{Status: *s.status}) {
			text = string(s.status.Phase) + " ready"
		}
	}
	switch {
	case s.again > 0 && text != "":
		return text + ", again in " + s.again.String()
	case s.again > 0:
		return "again in " + s.again.String()
	case text == "":
		return "nothing"
	}
	return text
}

func newPod(with ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}}}
	for _, change := range with {
		change(pod)
	}
	return pod
}

func bound(pod *corev1.Pod)     { pod.Spec.NodeName = NodeName }
func elsewhere(pod *corev1.Pod) { pod.Spec.NodeName = "elsewhere" }
func broken(pod *corev1.Pod)    { pod.Spec.Containers[0].Image = "web:broken" }
func failing(pod *corev1.Pod)   { pod.Status.Phase = corev1.PodFailed }
func gated(pod *corev1.Pod)     { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}} }

// settled is what a pod is after decide has had its way.
func settled(pod *corev1.Pod) {
	pod.Status = *decide(pod, situation{ip: "10.244.0.1", running: noon}, pace{}, noon).status
}

func deleted(grace int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.DeletionTimestamp = &metav1.Time{Time: noon}
		pod.DeletionGracePeriodSeconds = ptr.To(grace)
	}
}
