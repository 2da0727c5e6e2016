package kubelet

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// brokenTag is the image tag that is never pulled.
const brokenTag = "broken"

// A wish is what a command asked of a pod.
type wish string

const (
	wishNone    wish = ""
	wishReady   wish = "ready"
	wishUnready wish = "not ready"
	wishFailed  wish = "failed"
)

// granted tells whether a pod is as wished.
func (w wish) granted(pod *corev1.Pod) bool {
	running := pod.Status.Phase == corev1.PodRunning
	switch w {
	case wishReady:
		return running && isReady(pod)
	case wishUnready:
		return running && !isReady(pod)
	case wishFailed:
		return pod.Status.Phase == corev1.PodFailed
	default:
		return true
	}
}

// A pace is how fast pods move.
type pace struct {
	readyAfter     time.Duration
	terminateAfter time.Duration
	manual         bool
}

// A situation is what the node knows of a pod and the API server does not.
type situation struct {
	wish        wish
	ip          string
	running     time.Time // since when its containers run
	terminating time.Time // since when it is being deleted
}

// A step is one write, or a time to look again, or neither.
type step struct {
	bind   bool
	status *corev1.PodStatus
	remove bool
	again  time.Duration
}

func (s step) none() bool { return s == step{} }

// decide is the next step for a pod, given what is known of it.
func decide(pod *corev1.Pod, s situation, p pace, now time.Time) step {
	switch {
	case pod.DeletionTimestamp != nil:
		return terminate(pod, s, p, now)
	case pod.Spec.NodeName == "":
		return step{bind: len(pod.Spec.SchedulingGates) == 0}
	case pod.Spec.NodeName != NodeName || isTerminal(pod):
		return step{}
	case s.wish == wishFailed:
		return write(pod, failed(pod, now))
	case isBroken(pod):
		return write(pod, waiting(pod, s, now))
	}
	ready, again := readiness(pod, s, p, now)
	next := write(pod, running(pod, s, ready, now))
	next.again = again
	return next
}

// terminate removes a pod when its containers have ended, which its grace period bounds. One that was never bound the
// API server removes by itself, and one with a grace period of 0 has been removed and is held by finalizers.
func terminate(pod *corev1.Pod, s situation, p pace, now time.Time) step {
	grace := pod.DeletionGracePeriodSeconds
	if pod.Spec.NodeName != NodeName || grace == nil || *grace == 0 {
		return step{}
	}
	takes := min(p.terminateAfter, time.Duration(*grace)*time.Second)
	if left := s.terminating.Add(takes).Sub(now); left > 0 {
		return step{again: left}
	}
	return step{remove: true}
}

// readiness tells whether a pod should be Ready now, and if not, when to look again (0 for never).
func readiness(pod *corev1.Pod, s situation, p pace, now time.Time) (ready bool, again time.Duration) {
	switch {
	case s.wish == wishReady:
		return true, 0
	case s.wish == wishUnready:
		return false, 0
	case isReady(pod):
		return true, 0
	case p.manual:
		return false, 0
	}
	left := s.running.Add(p.readyAfter).Sub(now)
	return left <= 0, max(left, 0)
}

// write is the step that stores a status, if it differs.
func write(pod *corev1.Pod, status *corev1.PodStatus) step {
	if equality.Semantic.DeepEqual(status, &pod.Status) {
		return step{}
	}
	return step{status: status}
}

// running is the status of a pod whose containers run.
func running(pod *corev1.Pod, s situation, ready bool, now time.Time) *corev1.PodStatus {
	status := started(pod, s, now)
	status.Phase = corev1.PodRunning
	setReady(status, ready, "ContainersNotReady", now)
	status.ContainerStatuses = containers(pod, corev1.ContainerState{
		Running: &corev1.ContainerStateRunning{StartedAt: *status.StartTime},
	}, ready)
	return status
}

// waiting is the status of a pod with an image that cannot be pulled. As with a real kubelet it stays Pending.
func waiting(pod *corev1.Pod, s situation, now time.Time) *corev1.PodStatus {
	status := started(pod, s, now)
	status.Phase = corev1.PodPending
	setReady(status, false, "ContainersNotReady", now)
	status.ContainerStatuses = containers(pod, corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{
			Reason: "ImagePullBackOff", Message: "the simulated kubelet pulls no image tagged " + brokenTag},
	}, false)
	return status
}

// failed is the status of a pod that its node has evicted.
func failed(pod *corev1.Pod, now time.Time) *corev1.PodStatus {
	status := pod.Status.DeepCopy()
	status.ObservedGeneration = pod.Generation
	status.Phase = corev1.PodFailed
	status.Reason = "Evicted"
	status.Message = "The simulated node was low on resource: test."
	setReady(status, false, "PodFailed", now)
	status.ContainerStatuses = containers(pod, corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 137, Reason: "Error", FinishedAt: metav1.NewTime(now)},
	}, false)
	return status
}

// started is the status that every pod has on the node, before it is known whether its containers run.
func started(pod *corev1.Pod, s situation, now time.Time) *corev1.PodStatus {
	status := pod.Status.DeepCopy()
	status.ObservedGeneration = pod.Generation
	status.HostIP, status.HostIPs = nodeIP, []corev1.HostIP{{IP: nodeIP}}
	status.PodIP, status.PodIPs = s.ip, []corev1.PodIP{{IP: s.ip}}
	if status.StartTime == nil {
		status.StartTime = &metav1.Time{Time: now.Truncate(time.Second)}
	}
	setCondition(status, corev1.PodInitialized, true, "", now)
	return status
}

func containers(pod *corev1.Pod, state corev1.ContainerState, ready bool) []corev1.ContainerStatus {
	isRunning := state.Running != nil
	statuses := make([]corev1.ContainerStatus, len(pod.Spec.Containers))
	for i, container := range pod.Spec.Containers {
		statuses[i] = corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, State: state, Ready: ready, Started: &isRunning}
	}
	return statuses
}

func setReady(status *corev1.PodStatus, ready bool, reasonIfNot string, now time.Time) {
	setCondition(status, corev1.ContainersReady, ready, reasonIfNot, now)
	setCondition(status, corev1.PodReady, ready, reasonIfNot, now)
}

// setCondition moves lastTransitionTime only when the condition's status changes.
func setCondition(
	status *corev1.PodStatus, kind corev1.PodConditionType, holds bool, reasonIfNot string, now time.Time,
) {
	wanted := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, ObservedGeneration: status.ObservedGeneration}
	if !holds {
		wanted.Status, wanted.Reason = corev1.ConditionFalse, reasonIfNot
	}
	for i := range status.Conditions {
		had := &status.Conditions[i]
		if had.Type == kind {
			wanted.LastTransitionTime = had.LastTransitionTime
			if had.Status != wanted.Status {
				wanted.LastTransitionTime = metav1.NewTime(now)
			}
			*had = wanted
			return
		}
	}
	wanted.LastTransitionTime = metav1.NewTime(now)
	status.Conditions = append(status.Conditions, wanted)
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func isTerminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// isBroken tells whether any of a pod's images can never be pulled.
func isBroken(pod *corev1.Pod) bool {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range containers {
			if tag(container.Image) == brokenTag {
				return true
			}
		}
	}
	return false
}

// tag is the tag of an image reference such as registry:5000/app:1.0@sha256:…, or empty.
func tag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return tag
}

// state describes a pod for a message.
func state(pod *corev1.Pod) string {
	switch {
	case isBroken(pod):
		return "of an image tagged " + brokenTag
	case len(pod.Spec.SchedulingGates) > 0:
		return "held by a scheduling gate"
	default:
		return string(pod.Status.Phase)
	}
}
