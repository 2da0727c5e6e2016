package minictl

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// isActive reports whether a pod counts: one that has finished or failed does not come back.
func isActive(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

func isReady(pod *corev1.Pod) bool {
	condition := readyCondition(pod)
	return condition != nil && condition.Status == corev1.ConditionTrue
}

// isAvailable reports whether a pod has been ready for some time. As IsPodAvailable in k8s.io/kubernetes pkg/api/v1/pod.
func isAvailable(pod *corev1.Pod, minReadySeconds int32, now time.Time) bool {
	return isReady(pod) && !readySince(pod).Add(seconds(minReadySeconds)).After(now)
}

// readySince is when a pod became ready; zero if it is not.
func readySince(pod *corev1.Pod) time.Time {
	if !isReady(pod) {
		return time.Time{}
	}
	return readyCondition(pod).LastTransitionTime.Time
}

func readyCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodReady {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
