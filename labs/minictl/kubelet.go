package minictl

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// nodeName is the one node there is.
const nodeName = "node-1"

// Kubelet is the scheduler and the kubelet of one node, on which pods run in appearance only. A pod is Running a tick
// after its creation, and ready some ticks after it, except those whose image ends in :broken, which never are.
type Kubelet struct {
	// ReadyAfter is how many ticks after its creation a pod is ready.
	ReadyAfter int

	store   *Store
	log     *Log
	failing sets.Set[Key]
}

// NewKubelet makes a kubelet whose probes all succeed.
func NewKubelet(store *Store, log *Log, readyAfter int) *Kubelet {
	return &Kubelet{ReadyAfter: readyAfter, store: store, log: log, failing: sets.New[Key]()}
}

// FailProbe makes a pod's readiness probe fail, until PassProbe.
func (k *Kubelet) FailProbe(key Key) { k.failing.Insert(key) }

// PassProbe makes a pod's readiness probe succeed again.
func (k *Kubelet) PassProbe(key Key) { k.failing.Delete(key) }

// Step moves every pod on.
func (k *Kubelet) Step() {
	now := k.store.clock.Now()
	for _, pod := range list[*corev1.Pod](k.store, namespace) {
		age := int(now.Sub(pod.CreationTimestamp.Time) / time.Second)
		if !isActive(pod) || age < 1 {
			continue
		}
		if pod.Spec.NodeName == "" {
			pod.Spec.NodeName = nodeName
			pod, _ = update(k.store, pod)
		}
		pod.Status.Phase = corev1.PodRunning
		was := isReady(pod)
		is := age >= k.ReadyAfter && !strings.HasSuffix(pod.Spec.Containers[0].Image, ":broken") && !k.failing.Has(keyOf(pod))
		setReady(pod, is, now)
		updateStatus(k.store, pod)
		switch {
		case is && !was:
			k.log.Record("kubelet", describe(pod), "Ready", "container is ready")
		case was && !is:
			k.log.Record("kubelet", describe(pod), "Unhealthy", "readiness probe failed")
		}
	}
}

func setReady(pod *corev1.Pod, ready bool, now metav1.Time) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	condition := readyCondition(pod)
	switch {
	case condition == nil:
		pod.Status.Conditions = append(pod.Status.Conditions,
			corev1.PodCondition{Type: corev1.PodReady, Status: status, LastTransitionTime: now})
	case condition.Status != status:
		condition.Status, condition.LastTransitionTime = status, now
	}
}

// Evict ends a pod for good, to save the node. A container that merely crashes is restarted in its pod, which does not fail.
func (k *Kubelet) Evict(key Key) error {
	pod, err := get[*corev1.Pod](k.store, key)
	if err != nil {
		return err
	}
	setReady(pod, false, k.store.clock.Now())
	pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
	pod.Status.Message = "The node was low on resource: memory."
	k.log.Record("kubelet", describe(pod), pod.Status.Reason, pod.Status.Message)
	_, err = updateStatus(k.store, pod)
	return err
}
