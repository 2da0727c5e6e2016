package fleet

import (
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Live reports whether a pod counts: it is not on its way out and has not finished.
func Live(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !finished(pod)
}

// leaving reports whether a pod is on its way out, and may still run.
func leaving(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && !finished(pod)
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func live(pods []*corev1.Pod) []*corev1.Pod {
	return filter(pods, Live)
}

// readySince returns when the pod became ready, and whether it is.
func readySince(pod *corev1.Pod) (time.Time, bool) {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.LastTransitionTime.Time, condition.Status == corev1.ConditionTrue
		}
	}
	return time.Time{}, false
}

func ready(pod *corev1.Pod) bool {
	_, isReady := readySince(pod)
	return isReady
}

// untilAvailable returns how long a ready pod still has to stay ready to count as available, and whether it is
// ready at all. Without a minimum the clock of the pod's node does not matter. As
// k8s.io/kubernetes@v1.37.2/pkg/api/v1/pod/util.go:283#IsPodAvailable.
func untilAvailable(pod *corev1.Pod, minReady time.Duration, now time.Time) (time.Duration, bool) {
	since, isReady := readySince(pod)
	if !isReady || minReady == 0 {
		return 0, isReady
	}
	return max(0, since.Add(minReady).Sub(now)), true
}

func available(pod *corev1.Pod, minReady time.Duration, now time.Time) bool {
	left, isReady := untilAvailable(pod, minReady, now)
	return isReady && left == 0
}

// revisionHash is the revision a pod was created from; empty for an adopted pod that was created by other means.
func revisionHash(pod *corev1.Pod) string {
	return pod.Labels[appsv1.ControllerRevisionHashLabelKey]
}

// deletionCost is the pod's own estimate of what its deletion costs. The API server rejects what is no integer.
func deletionCost(pod *corev1.Pod) int {
	cost, _ := strconv.Atoi(pod.Annotations[corev1.PodDeletionCost])
	return cost
}

func filter[T any](items []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

func count[T any](items []T, counts func(T) bool) int {
	n := 0
	for _, item := range items {
		if counts(item) {
			n++
		}
	}
	return n
}
