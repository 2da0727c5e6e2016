package fleet

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Bounds are what a roll must keep at every instant.
type Bounds struct {
	// MaxLive is the largest number of live pods: replicas + maxSurge.
	MaxLive int
	// MinAvailable is what deletions may not drive the number of available pods below: replicas - maxUnavailable.
	MinAvailable int
}

// BoundsOf resolves a strategy. A surge is rounded up and an unavailability down; if both are zero, one pod may be unavailable.
// As k8s.io/kubernetes@v1.37.2/pkg/controller/deployment/util/deployment_util.go:883#ResolveFenceposts.
func BoundsOf(f *v1alpha1.Fleet) Bounds {
	replicas := wantedReplicas(f)
	if f.Spec.Strategy.Type == v1alpha1.RecreateStrategy {
		return Bounds{MaxLive: replicas, MinAvailable: replicas}
	}
	rolling := f.Spec.Strategy.RollingUpdate
	if rolling == nil {
		rolling = &v1alpha1.FleetRollingUpdate{}
	}
	surge := scaled(rolling.MaxSurge, replicas, true)
	unavailable := scaled(rolling.MaxUnavailable, replicas, false)
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return Bounds{MaxLive: replicas + surge, MinAvailable: max(0, replicas-unavailable)}
}

// wantedReplicas is spec.replicas, or the schema's default for an object that was stored without one.
func wantedReplicas(f *v1alpha1.Fleet) int { return int(ptr.Deref(f.Spec.Replicas, 1)) }

func scaled(bound *intstr.IntOrString, replicas int, roundUp bool) int {
	if bound == nil {
		bound = ptr.To(intstr.FromString("25%"))
	}
	value, err := intstr.GetScaledValueFromIntOrPercent(bound, replicas, roundUp)
	if err != nil {
		return 0 // the schema admits no such value; the careful reading of one is not to move
	}
	return max(0, value)
}

// decidePods decides which pods to create and which to delete.
func (p *Plan) decidePods(f *v1alpha1.Fleet, now time.Time) {
	if p.history.update == nil {
		return // paused before the first roll: there is no template to create pods from
	}
	pods := roll{
		replicas: wantedReplicas(f),
		bounds:   BoundsOf(f),
		update:   p.history.update,
		fallback: p.history.current,
		isAvailable: func(pod *corev1.Pod) bool {
			return available(pod, minReady(f), now)
		},
	}
	if pods.fallback == pods.update {
		pods.fallback = nil
	}
	all := live(p.claimed)
	isUpdated := func(pod *corev1.Pod) bool { return revisionHash(pod) == hashOf(pods.update) }
	updated := filter(all, isUpdated)
	old := filter(all, func(pod *corev1.Pod) bool { return !isUpdated(pod) })

	switch {
	case f.Spec.Paused:
		p.Create, p.Delete = pods.keep(cmp.Or(pods.fallback, pods.update), all)
	case f.Spec.Strategy.Type == v1alpha1.RecreateStrategy:
		oldLeaving := filter(p.claimed, func(pod *corev1.Pod) bool { return leaving(pod) && !isUpdated(pod) })
		p.Create, p.Delete = pods.recreate(updated, old, len(oldLeaving) > 0)
	case len(old) == 0 && pods.fallback == nil:
		p.Create, p.Delete = pods.keep(pods.update, updated)
	default:
		p.Create, p.Delete = pods.step(updated, old)
	}
}

// roll is the movement of pods from old revisions to the update revision.
type roll struct {
	replicas int
	bounds   Bounds
	update   *appsv1.ControllerRevision
	// fallback is the revision that last ran completely, and stands in where the new one does not come up; nil when
	// there is none but the update itself.
	fallback    *appsv1.ControllerRevision
	isAvailable func(*corev1.Pod) bool
}

// keep holds the number of pods, whatever their revision, and creates those that are missing from the one given.
func (r roll) keep(revision *appsv1.ControllerRevision, pods []*corev1.Pod) ([]Creation, []Deletion) {
	missing := r.replicas - len(pods)
	return creations(revision, missing), deletions(r.rank(pods), -missing, Surplus)
}

// recreate deletes every old pod, and creates new ones only when the last old one has gone.
func (r roll) recreate(updated, old []*corev1.Pod, oldLeaving bool) ([]Creation, []Deletion) {
	if len(old) > 0 || oldLeaving {
		return nil, deletions(r.rank(old), len(old), Outdated)
	}
	return r.keep(r.update, updated)
}

// step moves a rolling update one step.
//
// What may be created is counted against the pods that are live before any deletion, and what may be deleted against
// those that are available before any creation: so the bounds hold in whatever order the two take effect.
func (r roll) step(updated, old []*corev1.Pod) ([]Creation, []Deletion) {
	newPods, oldPods := r.create(updated, old)
	surplus := deletions(r.rank(updated), len(updated)-r.replicas, Surplus)
	kept := r.rank(updated)[len(surplus):]
	outdated := r.retire(kept, old)
	// A Fleet that was scaled down, or lost old pods, in the middle of a roll can have too many new ones in flight. They
	// are never more than those that are not available, which come first in the rank.
	over := len(kept) + len(old) - len(outdated) + r.lacking(kept, old) - r.bounds.MaxLive
	surplus = append(surplus, deletions(kept, over, Surplus)...)

	return append(creations(r.update, newPods), creations(r.fallback, oldPods)...), append(surplus, outdated...)
}

// create returns how many pods to create of the update revision and how many of the fallback.
//
// While as many new pods are unavailable as the roll may have in flight, more of them would not help. What is lacking
// is made up with the revision that is known to run, so that a template that does not come up stalls the roll and
// takes no capacity with it.
func (r roll) create(updated, old []*corev1.Pod) (newPods, oldPods int) {
	room := r.bounds.MaxLive - len(updated) - len(old)
	newPods = max(0, min(r.replicas-len(updated), room))
	if r.fallback == nil {
		return newPods, 0
	}
	inFlight := r.bounds.MaxLive - r.bounds.MinAvailable
	newPods = max(0, min(newPods, inFlight-r.unavailable(updated)))
	return newPods, max(0, min(r.lacking(updated, old), room-newPods))
}

// lacking is how many pods of the fallback it takes to reach the minimum without the new pods that are not available.
func (r roll) lacking(updated, old []*corev1.Pod) int {
	if r.fallback == nil {
		return 0
	}
	return max(0, r.bounds.MinAvailable-len(old)-count(updated, r.isAvailable))
}

// retire chooses the old pods to delete: first those that serve nobody, then as many available ones as the new pods make up for.
// As k8s.io/kubernetes@v1.37.2/pkg/controller/deployment/rolling.go:86#DeploymentController.reconcileOldReplicaSets.
// An abandoned pod is not worth waiting for, since the fallback stands in for it.
func (r roll) retire(updated, old []*corev1.Pod) []Deletion {
	abandoned := r.rank(filter(old, r.isAbandoned))
	idle := r.rank(filter(old, func(pod *corev1.Pod) bool { return !r.isAvailable(pod) && !r.isAbandoned(pod) }))
	serving := r.rank(filter(old, r.isAvailable))

	replaced := count(updated, r.isAvailable) + len(serving) - r.bounds.MinAvailable
	return slices.Concat(
		deletions(abandoned, len(abandoned), Outdated),
		deletions(idle, replaced+len(idle), Outdated),
		deletions(serving, replaced, Outdated))
}

// isAbandoned reports whether an old pod serves nobody and is of a revision that never ran completely.
func (r roll) isAbandoned(pod *corev1.Pod) bool {
	return !r.isAvailable(pod) && r.fallback != nil && revisionHash(pod) != hashOf(r.fallback)
}

func (r roll) rank(pods []*corev1.Pod) []*corev1.Pod { return byDeletionRank(pods, r.isAvailable) }

func (r roll) unavailable(pods []*corev1.Pod) int {
	return len(pods) - count(pods, r.isAvailable)
}

func creations(revision *appsv1.ControllerRevision, n int) []Creation {
	if n <= 0 {
		return nil
	}
	return []Creation{{Revision: revision, Count: n}}
}

// deletions deletes the first n of some pods.
func deletions(pods []*corev1.Pod, n int, why DeletionReason) []Deletion {
	var chosen []Deletion
	for _, pod := range pods[:max(0, min(n, len(pods)))] {
		chosen = append(chosen, Deletion{Pod: pod, Why: why})
	}
	return chosen
}

func minReady(f *v1alpha1.Fleet) time.Duration {
	return time.Duration(f.Spec.MinReadySeconds) * time.Second
}
