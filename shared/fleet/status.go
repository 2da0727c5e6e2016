package fleet

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Outcome is what carrying out a plan came to. The texts of its errors end up in conditions, so they must be the same
// each time the same thing goes wrong.
type Outcome struct {
	// CreateFailure and DeleteFailure are the first refusal of a pod's creation and of its deletion.
	CreateFailure, DeleteFailure error
	// RevisionFailure is why the wanted template has no revision, so that DecideWithoutRevision made the plan.
	RevisionFailure error
	// PublishFailure is why the records are not as they should be.
	PublishFailure error
	// Collision is true when the name of the new revision is taken: by another template, or by a revision that nobody
	// controls and the Fleet does not adopt. No pod may be created from the new revision then.
	Collision bool
}

// Status describes a Fleet as it was observed. It differs from the stored one only when the Fleet does: neither the
// time nor a retry changes it.
func Status(seen Observed, plan Plan, outcome Outcome) v1alpha1.FleetStatus {
	f, pods := seen.Fleet, live(plan.claimed)
	status := *f.Status.DeepCopy()
	status.ObservedGeneration = f.Generation
	status.Selector = metav1.FormatLabelSelector(f.Spec.Selector)
	status.Replicas = int32(len(pods))
	status.ReadyReplicas = int32(count(pods, ready))
	status.AvailableReplicas = int32(count(pods, func(pod *corev1.Pod) bool {
		return available(pod, minReady(f), seen.Now)
	}))
	if outcome.Collision {
		status.CollisionCount = ptr.To(ptr.Deref(status.CollisionCount, 0) + 1)
	}
	// A paused Fleet is measured by the template that it wants, not by the one that it keeps to. As a Deployment is.
	status.UpdatedReplicas = ofRevision(pods, plan.history.wanted)
	if update := plan.history.update; update != nil {
		status.UpdateRevision = update.Name
		if arrived(f, status) && ofRevision(pods, update) == status.Replicas {
			status.CurrentRevision = update.Name
		}
	}
	describe(seen, plan, outcome, &status)
	return status
}

// ofRevision counts the pods of a revision, which may be none.
func ofRevision(pods []*corev1.Pod, revision *appsv1.ControllerRevision) int32 {
	if revision == nil {
		return 0
	}
	return int32(count(pods, func(pod *corev1.Pod) bool { return revisionHash(pod) == hashOf(revision) }))
}

// settled reports whether no pod is on its way. Those of a paused Fleet may be of any revision, and one that was paused
// before it had a revision gets none.
func settled(f *v1alpha1.Fleet, status v1alpha1.FleetStatus) bool {
	if !f.Spec.Paused {
		return complete(f, status)
	}
	return status.UpdateRevision == "" || arrived(f, status)
}

// complete reports whether every pod is of the wanted template and available. As
// k8s.io/kubernetes@v1.37.2/pkg/controller/deployment/util/deployment_util.go:741#DeploymentComplete.
func complete(f *v1alpha1.Fleet, status v1alpha1.FleetStatus) bool {
	return status.UpdateRevision != "" && arrived(f, status) && status.UpdatedReplicas == status.Replicas
}

// arrived reports whether there are as many pods as are wanted, of whatever template, and all are available.
func arrived(f *v1alpha1.Fleet, status v1alpha1.FleetStatus) bool {
	wanted := int32(wantedReplicas(f))
	return status.Replicas == wanted && status.AvailableReplicas == wanted
}

// rolling reports whether a roll is under way, by the status alone. A roll back to the current revision is one while
// there are other pods.
func rolling(status v1alpha1.FleetStatus) bool {
	return status.CurrentRevision != status.UpdateRevision || status.UpdatedReplicas < status.Replicas
}

// progressed reports whether a roll moved forward between two statuses. As
// k8s.io/kubernetes@v1.37.2/pkg/controller/deployment/util/deployment_util.go:752#DeploymentProgressing.
func progressed(before, after v1alpha1.FleetStatus) bool {
	return after.UpdateRevision != before.UpdateRevision ||
		after.UpdatedReplicas > before.UpdatedReplicas ||
		after.Replicas-after.UpdatedReplicas < before.Replicas-before.UpdatedReplicas ||
		after.ReadyReplicas > before.ReadyReplicas ||
		after.AvailableReplicas > before.AvailableReplicas
}

func progressDeadline(f *v1alpha1.Fleet) time.Duration {
	return time.Duration(ptr.Deref(f.Spec.ProgressDeadlineSeconds, 600)) * time.Second
}

// recheckZone is how often the records are compared with what the zone holds: nothing tells when somebody else
// changes a zone.
const recheckZone = 5 * time.Minute

// nextChange returns how long until time alone changes the answer: a ready pod becomes available, a roll misses its
// deadline, or the zone is due for another look.
func nextChange(seen Observed, plan Plan) time.Duration {
	f := seen.Fleet
	var next time.Duration
	consider := func(wait time.Duration) {
		if wait > 0 && (next == 0 || wait < next) {
			next = wait
		}
	}
	for _, pod := range live(plan.claimed) {
		left, _ := untilAvailable(pod, minReady(f), seen.Now)
		consider(left)
	}
	if last := f.Status.LastProgressTime; last != nil && rolling(f.Status) && !f.Spec.Paused {
		consider(last.Add(progressDeadline(f)).Sub(seen.Now))
	}
	if WantedZone(f) != "" {
		consider(recheckZone)
	}
	return next
}
