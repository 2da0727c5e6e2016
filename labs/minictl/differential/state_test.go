package differential

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// objects are a Deployment and what it owns.
type objects struct {
	deployment *appsv1.Deployment
	sets       []*appsv1.ReplicaSet
	pods       []*corev1.Pod
}

// state is what has to be the same on both sides, whenever the controllers are at rest.
type state struct {
	Revision string
	Status   counts
	Sets     []setState
}

type setState struct {
	Name     string // with its hash
	Revision string
	Desired  int32
	Status   counts
	// Pods and Ready are counted, not reported.
	Pods, Ready int
}

type counts struct {
	Observed                                         bool
	Replicas, Updated, Ready, Available, Unavailable int32
}

const revisionAnnotation = "deployment.kubernetes.io/revision"

func (o objects) state() state {
	if o.deployment == nil {
		return state{}
	}
	status := o.deployment.Status
	s := state{
		Revision: o.deployment.Annotations[revisionAnnotation],
		Status: counts{
			Observed: status.ObservedGeneration == o.deployment.Generation,
			Replicas: status.Replicas, Updated: status.UpdatedReplicas, Ready: status.ReadyReplicas,
			Available: status.AvailableReplicas, Unavailable: status.UnavailableReplicas,
		},
	}
	for _, rs := range o.sets {
		one := setState{
			Name: rs.Name, Revision: rs.Annotations[revisionAnnotation], Desired: *rs.Spec.Replicas,
			Status: counts{
				Observed: rs.Status.ObservedGeneration == rs.Generation,
				Replicas: rs.Status.Replicas, Ready: rs.Status.ReadyReplicas, Available: rs.Status.AvailableReplicas,
			},
		}
		for _, pod := range o.podsOf(rs.Name) {
			one.Pods++
			if isReady(pod) {
				one.Ready++
			}
		}
		s.Sets = append(s.Sets, one)
	}
	slices.SortFunc(s.Sets, func(a, b setState) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

func (o objects) podsOf(set string) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(o.pods), func(pod *corev1.Pod) bool {
		owner := metav1.GetControllerOf(pod)
		return owner == nil || owner.Name != set
	})
}

// nextBatch is the first ReplicaSet with pods that can become ready and are not; empty if there is none. All of them
// become ready at once, and those of the next ReplicaSet when the controllers are at rest again.
func (o objects) nextBatch() string {
	next := ""
	for _, rs := range o.sets {
		if len(o.unready(rs.Name)) > 0 && (next == "" || rs.Name < next) {
			next = rs.Name
		}
	}
	return next
}

func (o objects) unready(set string) []*corev1.Pod {
	return slices.DeleteFunc(o.podsOf(set), func(pod *corev1.Pod) bool {
		return isReady(pod) || strings.HasSuffix(pod.Spec.Containers[0].Image, ":broken")
	})
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func (o objects) ready() int {
	n := 0
	for _, pod := range o.pods {
		if isReady(pod) {
			n++
		}
	}
	return n
}

func (o objects) desired() int {
	n := 0
	for _, rs := range o.sets {
		n += int(*rs.Spec.Replicas)
	}
	return n
}

// extremes are the most pods that were asked for at any time, and the fewest that were ready.
type extremes struct{ MostDesired, FewestReady int }

func (o objects) extremes() extremes { return extremes{o.desired(), o.ready()} }

func (e extremes) and(other extremes) extremes {
	return extremes{max(e.MostDesired, other.MostDesired), min(e.FewestReady, other.FewestReady)}
}

// scaling is the event that the Deployment controller records when it changes a size; empty if it did not.
func scaling(set string, from, to int32) string {
	switch {
	case from < to:
		return fmt.Sprintf("Scaled up replica set %s from %d to %d", set, from, to)
	case from > to:
		return fmt.Sprintf("Scaled down replica set %s from %d to %d", set, from, to)
	}
	return ""
}
