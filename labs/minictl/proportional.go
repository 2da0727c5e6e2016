package minictl

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
)

const (
	// desiredAnnotation is spec.replicas of the Deployment when it last sized the ReplicaSet.
	desiredAnnotation = "deployment.kubernetes.io/desired-replicas"
	// maxAnnotation is the most pods there could be at that time, surge included.
	maxAnnotation = "deployment.kubernetes.io/max-replicas"
)

// isScaled reports whether a Deployment's size was changed since its ReplicaSets were sized.
func isScaled(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) bool {
	return slices.ContainsFunc(activeSets(sets), func(rs *appsv1.ReplicaSet) bool {
		desired, err := strconv.Atoi(rs.Annotations[desiredAnnotation])
		return err == nil && desired != int(*d.Spec.Replicas)
	})
}

// decideResize spreads a Deployment's size over its ReplicaSets without moving the update on. As scale in
// k8s.io/kubernetes pkg/controller/deployment/sync.go.
func decideResize(d *appsv1.Deployment, newSet *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) []Scaling {
	all := slices.Clone(old)
	if newSet != nil {
		all = append(all, newSet)
	}
	active := activeSets(all)
	switch {
	case len(all) == 0:
		return nil
	case len(active) == 0 && newSet != nil:
		return []Scaling{{newSet, int(*d.Spec.Replicas)}}
	case len(active) == 0:
		return []Scaling{{slices.MaxFunc(old, compareCreation), int(*d.Spec.Replicas)}}
	case len(active) == 1:
		return []Scaling{{active[0], int(*d.Spec.Replicas)}}
	case isSaturated(d, newSet):
		var scalings []Scaling
		for _, rs := range activeSets(old) {
			scalings = append(scalings, Scaling{rs, 0})
		}
		return scalings
	case d.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType:
		return nil
	}
	return decideProportions(d, active)
}

// decideProportions resizes each ReplicaSet in proportion to its share, the largest first, so that an update that is
// under way keeps its balance. What rounding leaves over goes to the first.
func decideProportions(d *appsv1.Deployment, active []*appsv1.ReplicaSet) []Scaling {
	allowed := 0
	if *d.Spec.Replicas > 0 {
		allowed = boundsOf(d).MaxPods
	}
	toAdd := allowed - totalSize(active)
	bySize := slices.SortedFunc(slices.Values(active), func(a, b *appsv1.ReplicaSet) int {
		age := compareCreation(a, b)
		if toAdd > 0 {
			age = -age // of equal ones the newer grows first, and the older shrinks first
		}
		return cmp.Or(cmp.Compare(sizeOf(b), sizeOf(a)), age)
	})
	left := toAdd
	scalings := make([]Scaling, len(bySize))
	for i, rs := range bySize {
		share := fraction(d, rs, allowed)
		if toAdd > 0 {
			share = min(share, left)
		} else {
			share = max(share, left)
		}
		scalings[i] = Scaling{rs, sizeOf(rs) + share}
		left -= share
	}
	scalings[0].To = max(0, scalings[0].To+left)
	return scalings
}

// fraction is by how much a ReplicaSet's size changes if it keeps its share of the most pods there may be.
func fraction(d *appsv1.Deployment, rs *appsv1.ReplicaSet, allowed int) int {
	if allowed == 0 {
		return -sizeOf(rs)
	}
	before, err := strconv.Atoi(rs.Annotations[maxAnnotation])
	if err != nil || before <= 0 {
		before = int(d.Status.Replicas)
	}
	if before == 0 {
		return 0
	}
	return int(math.Round(float64(sizeOf(rs)*allowed)/float64(before))) - sizeOf(rs)
}

// isSaturated reports whether the new ReplicaSet has all the pods, available, that the Deployment asks for.
func isSaturated(d *appsv1.Deployment, newSet *appsv1.ReplicaSet) bool {
	return newSet != nil && *newSet.Spec.Replicas == *d.Spec.Replicas && newSet.Status.AvailableReplicas == *d.Spec.Replicas &&
		newSet.Annotations[desiredAnnotation] == strconv.Itoa(int(*d.Spec.Replicas))
}

func activeSets(sets []*appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	return slices.DeleteFunc(slices.Clone(sets), func(rs *appsv1.ReplicaSet) bool { return sizeOf(rs) == 0 })
}
