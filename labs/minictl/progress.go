package minictl

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of a Deployment's conditions, of which those of Progressing are also states.
const (
	newReplicaSetReason      = "NewReplicaSetCreated"
	foundNewReplicaSetReason = "FoundNewReplicaSet"
	updatedReason            = "ReplicaSetUpdated"
	availableReason          = "NewReplicaSetAvailable"
	timedOutReason           = "ProgressDeadlineExceeded"
	pausedReason             = "DeploymentPaused"
	resumedReason            = "DeploymentResumed"
)

// summarize adds up the ReplicaSets' statuses.
func summarize(r *rollout, now metav1.Time) appsv1.DeploymentStatus {
	status := appsv1.DeploymentStatus{
		ObservedGeneration: r.Generation,
		Conditions:         slices.Clone(r.Status.Conditions),
	}
	for _, rs := range r.sets() {
		status.Replicas += rs.Status.Replicas
		status.ReadyReplicas += rs.Status.ReadyReplicas
		status.AvailableReplicas += rs.Status.AvailableReplicas
		status.UnavailableReplicas += *rs.Spec.Replicas - rs.Status.AvailableReplicas
	}
	status.UnavailableReplicas = max(0, status.UnavailableReplicas)
	if r.newSet != nil {
		status.UpdatedReplicas = r.newSet.Status.Replicas
	}
	if int(status.AvailableReplicas) >= boundsOf(r.Deployment).MinAvailable {
		setCondition(&status, newCondition(appsv1.DeploymentAvailable, corev1.ConditionTrue,
			"MinimumReplicasAvailable", "Deployment has minimum availability.", now))
	} else {
		setCondition(&status, newCondition(appsv1.DeploymentAvailable, corev1.ConditionFalse,
			"MinimumReplicasUnavailable", "Deployment does not have minimum availability.", now))
	}
	return status
}

// estimateProgress sets the Progressing condition: true when the update is complete or has moved since the last status,
// false when it has not moved for progressDeadlineSeconds. As syncRolloutStatus in k8s.io/kubernetes
// pkg/controller/deployment/progress.go.
func estimateProgress(r *rollout, status appsv1.DeploymentStatus, now metav1.Time) appsv1.DeploymentStatus {
	progressing := findCondition(r.Status, appsv1.DeploymentProgressing)
	set := func(is corev1.ConditionStatus, reason, message string) {
		setCondition(&status, newCondition(appsv1.DeploymentProgressing, is, reason, r.newSetName()+message, now))
	}
	switch {
	case status.Replicas == status.UpdatedReplicas && progressing != nil && progressing.Reason == availableReason:
		// No update is under way; nothing is late.
	case isComplete(r.Deployment, status):
		set(corev1.ConditionTrue, availableReason, " has successfully progressed.")
	case hasMoved(r.Status, status):
		message := r.newSetName() + " is progressing."
		moved := newCondition(appsv1.DeploymentProgressing, corev1.ConditionTrue, updatedReason, message, now)
		if progressing != nil && progressing.Status == corev1.ConditionTrue {
			moved.LastTransitionTime = progressing.LastTransitionTime
		}
		status.Conditions = replaceCondition(status.Conditions, moved) // even for the same reason: the deadline counts from now
	case isTimedOut(r.Deployment, progressing, now):
		set(corev1.ConditionFalse, timedOutReason, " has timed out progressing.")
	}
	return status
}

func (r *rollout) newSetName() string {
	if r.newSet == nil {
		return fmt.Sprintf("Deployment %q", r.Name)
	}
	return fmt.Sprintf("ReplicaSet %q", r.newSet.Name)
}

// isComplete reports whether all pods are of the present template and available.
func isComplete(d *appsv1.Deployment, status appsv1.DeploymentStatus) bool {
	replicas := *d.Spec.Replicas
	return status.UpdatedReplicas == replicas && status.Replicas == replicas && status.AvailableReplicas == replicas &&
		status.ObservedGeneration >= d.Generation
}

func hasMoved(before, after appsv1.DeploymentStatus) bool {
	return after.UpdatedReplicas > before.UpdatedReplicas ||
		after.Replicas-after.UpdatedReplicas < before.Replicas-before.UpdatedReplicas ||
		after.ReadyReplicas > before.ReadyReplicas || after.AvailableReplicas > before.AvailableReplicas
}

func isTimedOut(d *appsv1.Deployment, progressing *appsv1.DeploymentCondition, now metav1.Time) bool {
	if progressing == nil || progressing.Reason == availableReason {
		return false
	}
	return progressing.Reason == timedOutReason || deadline(d, progressing).Before(now.Time)
}

func deadline(d *appsv1.Deployment, progressing *appsv1.DeploymentCondition) time.Time {
	return progressing.LastUpdateTime.Add(seconds(*d.Spec.ProgressDeadlineSeconds))
}

// untilDeadline is in how many ticks to look at a Deployment that does not move, since nothing else would wake its
// controller; 0 for one that need not be looked at. One whose status has just changed is woken by that.
func untilDeadline(d *appsv1.Deployment, before appsv1.DeploymentStatus, now metav1.Time) int {
	progressing := findCondition(d.Status, appsv1.DeploymentProgressing)
	if progressing == nil || progressing.Reason == timedOutReason || isComplete(d, d.Status) ||
		!equality.Semantic.DeepEqual(before, d.Status) {
		return 0
	}
	return int(deadline(d, progressing).Sub(now.Time)/time.Second) + 1
}

func newCondition(kind appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason, message string,
	now metav1.Time) appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{
		Type: kind, Status: status, Reason: reason, Message: message, LastUpdateTime: now, LastTransitionTime: now,
	}
}

func findCondition(status appsv1.DeploymentStatus, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for _, condition := range status.Conditions {
		if condition.Type == kind {
			return &condition
		}
	}
	return nil
}

// setCondition puts a condition in place of the one of its type, unless that says the same.
func setCondition(status *appsv1.DeploymentStatus, condition appsv1.DeploymentCondition) {
	if before := findCondition(*status, condition.Type); before != nil && before.Status == condition.Status {
		if before.Reason == condition.Reason {
			return
		}
		condition.LastTransitionTime = before.LastTransitionTime
	}
	status.Conditions = replaceCondition(status.Conditions, condition)
}

func replaceCondition(all []appsv1.DeploymentCondition, condition appsv1.DeploymentCondition) []appsv1.DeploymentCondition {
	others := slices.DeleteFunc(slices.Clone(all), func(c appsv1.DeploymentCondition) bool { return c.Type == condition.Type })
	return append(others, condition)
}
