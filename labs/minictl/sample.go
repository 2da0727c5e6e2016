package minictl

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodState is how far a pod has come.
type PodState string

// The states of a pod. It is terminating in the tick in which it is deleted.
const (
	Pending     PodState = "pending"
	Running     PodState = "running"
	Ready       PodState = "ready"
	Available   PodState = "available"
	Failed      PodState = "failed"
	Terminating PodState = "terminating"
)

// A Sample shows the pods at the end of a tick, by name.
type Sample struct {
	Tick int
	Pods []PodSample
}

// PodSample is a pod in a Sample.
type PodSample struct {
	Name  string
	Owner string // the ReplicaSet that controls it, or empty
	State PodState
}

func (c *Cluster) sample() Sample {
	s := Sample{Tick: c.Clock.tick}
	for _, pod := range list[*corev1.Pod](c.Store, namespace) {
		shown := PodSample{Name: pod.Name, State: c.stateOf(pod)}
		if ref := metav1.GetControllerOf(pod); ref != nil {
			shown.Owner = ref.Name
		}
		s.Pods = append(s.Pods, shown)
	}
	return s
}

func (c *Cluster) stateOf(pod *corev1.Pod) PodState {
	var minReady int32
	if ref := metav1.GetControllerOf(pod); ref != nil {
		if rs, err := get[*appsv1.ReplicaSet](c.Store, Key{Namespace: pod.Namespace, Name: ref.Name}); err == nil {
			minReady = rs.Spec.MinReadySeconds
		}
	}
	switch {
	case !isActive(pod):
		return Failed
	case isAvailable(pod, minReady, c.Clock.Now().Time):
		return Available
	case isReady(pod):
		return Ready
	case pod.Status.Phase == corev1.PodRunning:
		return Running
	}
	return Pending
}

// Total is how many pods there are that have not failed.
func (s Sample) Total() int { return s.count(Pending, Running, Ready, Available) }

// Ready is how many pods are ready, whether available or not.
func (s Sample) Ready() int { return s.count(Ready, Available) }

func (s Sample) count(states ...PodState) int {
	n := 0
	for _, pod := range s.Pods {
		if slices.Contains(states, pod.State) {
			n++
		}
	}
	return n
}
