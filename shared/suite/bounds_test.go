package suite

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// bounds are what a roll keeps at every instant: no more live pods than maxLive, and no deletion that leaves fewer
// available ones than minAvailable.
type bounds struct{ maxLive, minAvailable int }

// kept looks at every moment since the Fleet was first settled, and fails the test for each that breaks the bounds.
// It returns the extremes.
func (w *world) kept(name string, b bounds) (reached bounds) {
	w.Helper()
	f := w.read(name)
	reached.minAvailable = int(*f.Spec.Replicas)
	settledOnce := false
	w.record.replay(func(before state, c change) {
		settledOnce = settledOnce || settled(name)(before) == nil
		pod, isPod := podIn(c)
		if !settledOnce || !isPod || !metav1.IsControlledBy(pod, f) {
			return
		}
		was := before.pods[pod.Name]
		if lives := len(before.podsOf(name, live)) + appears(was, c); lives > b.maxLive {
			w.Errorf("%s: %d live pods, at most %d allowed", c, lives, b.maxLive)
		} else {
			reached.maxLive = max(reached.maxLive, lives)
		}
		if !isDeletion(was, c) || !serving(was) {
			return
		}
		available := len(before.podsOf(name, serving, readyFor(f, deletedAt(pod)))) - 1
		if available < b.minAvailable {
			w.Errorf("%s: the deletion left %d available pods, at least %d needed", c, available, b.minAvailable)
		}
		reached.minAvailable = min(reached.minAvailable, available)
	})
	return reached
}

// appears is 1 if a change makes a live pod, -1 if it takes one, and 0 otherwise.
func appears(was *corev1.Pod, c change) int {
	pod, _ := podIn(c)
	before := was != nil && live(was)
	after := c.event != watch.Deleted && live(pod)
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	default:
		return 0
	}
}

// isDeletion tells whether a change is somebody's deletion of a live pod.
func isDeletion(was *corev1.Pod, c change) bool {
	pod, _ := podIn(c)
	return was != nil && live(was) && (c.event == watch.Deleted || pod.DeletionTimestamp != nil)
}

// readyFor tells whether a pod had been ready for long enough at a time. Both times are as the API server stores them,
// cut to seconds, so that what an operator saw is never more than what is seen here.
func readyFor(f *v1alpha1.Fleet, at time.Time) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool {
		return !at.Before(readySince(pod).Add(time.Duration(f.Spec.MinReadySeconds) * time.Second))
	}
}

// deletedAt is when a pod was asked to end: its deletionTimestamp is when it has to have ended.
func deletedAt(pod *corev1.Pod) time.Time {
	grace := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
	return pod.DeletionTimestamp.Add(-grace)
}
