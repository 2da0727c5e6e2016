package fleet

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// byDeletionRank orders pods so that the one whose loss matters least comes first: unassigned, then pending, then not
// ready, then not available, then lower deletion cost, then newest; by name where all else is equal, so that the order
// is total. As k8s.io/kubernetes@v1.37.2/pkg/controller/controller_utils.go:818#ActivePodsWithRanks, which does not ask for
// availability; without it a scale-down could take an available pod and keep one that has only just become ready.
func byDeletionRank(pods []*corev1.Pod, isAvailable func(*corev1.Pod) bool) []*corev1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *corev1.Pod) int {
		return cmp.Or(
			falseFirst(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			cmp.Compare(phaseRank(a.Status.Phase), phaseRank(b.Status.Phase)),
			falseFirst(ready(a), ready(b)),
			falseFirst(isAvailable(a), isAvailable(b)),
			cmp.Compare(deletionCost(a), deletionCost(b)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
			cmp.Compare(a.Name, b.Name),
		)
	})
}

func phaseRank(phase corev1.PodPhase) int {
	switch phase {
	case corev1.PodRunning:
		return 2
	case corev1.PodUnknown:
		return 1
	default:
		return 0
	}
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
