package minictl

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Bounds are what a rolling update keeps to.
type Bounds struct {
	// MaxPods is how many pods there may be: replicas + maxSurge.
	MaxPods int `json:"maxPods"`
	// MinAvailable is how many pods must be available: replicas - maxUnavailable.
	MinAvailable int `json:"minAvailable"`
}

// boundsOf resolves a Deployment's strategy. A surge is rounded up and an unavailability down; if both come out as
// zero, one pod may be unavailable, so that the update can move. As ResolveFenceposts in k8s.io/kubernetes
// pkg/controller/deployment/util.
func boundsOf(d *appsv1.Deployment) Bounds {
	replicas := int(*d.Spec.Replicas)
	rolling := d.Spec.Strategy.RollingUpdate
	if rolling == nil {
		return Bounds{replicas, replicas}
	}
	surge := scaled(rolling.MaxSurge, replicas, true)
	unavailable := scaled(rolling.MaxUnavailable, replicas, false)
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return Bounds{replicas + surge, max(0, replicas-unavailable)}
}

func scaled(bound *intstr.IntOrString, replicas int, roundUp bool) int {
	value, err := intstr.GetScaledValueFromIntOrPercent(bound, replicas, roundUp)
	if err != nil {
		return 0 // validation admits no such bound
	}
	return value
}

// A Scaling sets the size of a ReplicaSet.
type Scaling struct {
	Set *appsv1.ReplicaSet
	To  int
}

// decideScaleUp is the size of the new ReplicaSet: as many more pods as there is room for above the others. As
// NewRSNewReplicas in k8s.io/kubernetes pkg/controller/deployment/util.
func decideScaleUp(d *appsv1.Deployment, newSize, oldSize int) int {
	replicas := int(*d.Spec.Replicas)
	if newSize >= replicas || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return replicas
	}
	room := boundsOf(d).MaxPods - newSize - oldSize
	return newSize + max(0, min(room, replicas-newSize))
}

// decideScaleDown takes pods from old ReplicaSets, oldest first: those that are not available, as far as the total
// allows, and then as many available ones as are above the minimum. A new pod that never becomes available keeps the
// budget at zero, and nothing old is removed. As reconcileOldReplicaSets in k8s.io/kubernetes
// pkg/controller/deployment/rolling.go, which likewise can take from one ReplicaSet twice.
func decideScaleDown(d *appsv1.Deployment, newSet *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) []Scaling {
	bounds := boundsOf(d)
	size := map[*appsv1.ReplicaSet]int{}
	total, available := sizeOf(newSet), int(newSet.Status.AvailableReplicas)
	for _, rs := range old {
		size[rs] = sizeOf(rs)
		total += sizeOf(rs)
		available += int(rs.Status.AvailableReplicas)
	}
	budget := total - bounds.MinAvailable - (sizeOf(newSet) - int(newSet.Status.AvailableReplicas))
	if budget <= 0 {
		return nil
	}
	var scalings []Scaling
	take := func(rs *appsv1.ReplicaSet, n int) int {
		n = max(0, min(n, size[rs]))
		if n > 0 {
			size[rs] -= n
			scalings = append(scalings, Scaling{rs, size[rs]})
		}
		return n
	}
	for _, rs := range old {
		if budget <= 0 {
			break
		}
		unhealthy := size[rs] - int(rs.Status.AvailableReplicas)
		if unhealthy < 0 {
			return scalings // its status is behind its spec
		}
		budget -= take(rs, min(budget, unhealthy))
	}
	spare := available - bounds.MinAvailable
	for _, rs := range old {
		spare -= take(rs, spare)
	}
	return scalings
}

func sizeOf(rs *appsv1.ReplicaSet) int {
	if rs == nil {
		return 0
	}
	return int(*rs.Spec.Replicas)
}

func totalSize(sets []*appsv1.ReplicaSet) int {
	total := 0
	for _, rs := range sets {
		total += sizeOf(rs)
	}
	return total
}
