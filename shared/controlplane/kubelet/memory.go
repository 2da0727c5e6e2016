package kubelet

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podNetwork has room for six times the ten thousand pods that a run may have. Its addresses are given out in turn, so
// that one comes back only long after its pod has gone.
var podNetwork = netip.MustParsePrefix("10.244.0.0/16")

// A memory holds the situation of each pod that exists, by uid, and gives out addresses.
type memory struct {
	mu     sync.Mutex
	pods   map[types.UID]*situation
	inUse  map[string]bool
	latest netip.Addr
}

func newMemory() *memory {
	return &memory{
		pods:   map[types.UID]*situation{},
		inUse:  map[string]bool{},
		latest: podNetwork.Addr(),
	}
}

// learn takes note of a pod, and of the address it has from an earlier kubelet.
func (m *memory) learn(pod *corev1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of(pod.UID)
	if ip := pod.Status.PodIP; ip != "" && s.ip == "" {
		s.ip = ip
		m.inUse[ip] = true
	}
}

// recall returns a pod's situation; what is noticed for the first time begins now. A pod that is not known has just
// gone, or has just come and is still to be learned of.
func (m *memory) recall(pod *corev1.Pod, now time.Time) (_ situation, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.pods[pod.UID]
	if s == nil {
		return situation{}, false
	}
	if pod.Spec.NodeName != "" && s.ip == "" {
		s.ip = m.allocate()
	}
	if pod.Spec.NodeName != "" && s.running.IsZero() {
		s.running = now
	}
	if pod.DeletionTimestamp != nil && s.terminating.IsZero() {
		s.terminating = now
	}
	return *s, true
}

func (m *memory) wish(uid types.UID, wanted wish) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(uid).wish = wanted
}

func (m *memory) forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.pods[uid]; s != nil {
		delete(m.inUse, s.ip)
		delete(m.pods, uid)
	}
}

func (m *memory) of(uid types.UID) *situation {
	s := m.pods[uid]
	if s == nil {
		s = &situation{}
		m.pods[uid] = s
	}
	return s
}

func (m *memory) allocate() string {
	for range 1 << (32 - podNetwork.Bits()) {
		m.latest = m.latest.Next()
		if !podNetwork.Contains(m.latest) {
			m.latest = podNetwork.Addr().Next()
		}
		if ip := m.latest.String(); !m.inUse[ip] {
			m.inUse[ip] = true
			return ip
		}
	}
	panic(fmt.Sprintf("kubelet: every address of %s is in use", podNetwork))
}
