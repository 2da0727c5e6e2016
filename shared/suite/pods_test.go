package suite

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// The words of this file are the suite's own reading of what fleet.md says about pods; it shares none with the
// operators.

// live pods are neither on their way out nor finished.
func live(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil &&
		pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
}

func readyCondition(pod *corev1.Pod) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition
		}
	}
	return corev1.PodCondition{}
}

func ready(pod *corev1.Pod) bool { return readyCondition(pod).Status == corev1.ConditionTrue }

// serving pods are live and ready.
func serving(pod *corev1.Pod) bool { return live(pod) && ready(pod) }

func readySince(pod *corev1.Pod) time.Time { return readyCondition(pod).LastTransitionTime.Time }

func revisionOf(pod *corev1.Pod) string { return pod.Labels[appsv1.ControllerRevisionHashLabelKey] }

func imageOf(pod *corev1.Pod) string { return pod.Spec.Containers[0].Image }

func named(names ...string) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return slices.Contains(names, pod.Name) }
}

func hasImage(image string) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return imageOf(pod) == image }
}

// podsOf are the pods that a Fleet controls and that are of all the kinds asked for, by name.
func (s state) podsOf(name string, are ...func(*corev1.Pod) bool) []*corev1.Pod {
	f := s.fleets[name]
	if f == nil {
		return nil
	}
	var pods []*corev1.Pod
	for _, pod := range sorted(s.pods) {
		if metav1.IsControlledBy(pod, f) && isAll(pod, are) {
			pods = append(pods, pod)
		}
	}
	return pods
}

func isAll(pod *corev1.Pod, are []func(*corev1.Pod) bool) bool {
	for _, is := range are {
		if !is(pod) {
			return false
		}
	}
	return true
}

// revisionsOf are the revisions that a Fleet controls, by name.
func (s state) revisionsOf(name string) []*appsv1.ControllerRevision {
	f := s.fleets[name]
	if f == nil {
		return nil
	}
	var revisions []*appsv1.ControllerRevision
	for _, revision := range sorted(s.revisions) {
		if metav1.IsControlledBy(revision, f) {
			revisions = append(revisions, revision)
		}
	}
	return revisions
}

// hashOf is the part of a revision's name that tells its template from others.
func hashOf(f *v1alpha1.Fleet, revision string) string {
	return strings.TrimPrefix(revision, f.Name+"-")
}

func namesOf[T metav1.Object](objects []T) []string {
	names := []string{}
	for _, object := range objects {
		names = append(names, object.GetName())
	}
	return names
}

func podIn(c change) (*corev1.Pod, bool) {
	pod, ok := c.object.(*corev1.Pod)
	return pod, ok
}
