package fleet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Event is something a person would want to be told of, for events.k8s.io.
type Event struct {
	// Type is corev1.EventTypeNormal or EventTypeWarning.
	Type string
	// Reason says why it happened, Action what was done, Note both in words.
	Reason, Action, Note string
}

// ScaleEvents tells of the pods that a reconcile created and deleted: one event for all of either.
func ScaleEvents(created, deleted int) []Event {
	var events []Event
	if created > 0 {
		events = append(events, Event{corev1.EventTypeNormal, "ScaledUp", "CreatePods",
			fmt.Sprintf("created %d %s", created, plural(created))})
	}
	if deleted > 0 {
		events = append(events, Event{corev1.EventTypeNormal, "ScaledDown", "DeletePods",
			fmt.Sprintf("deleted %d %s", deleted, plural(deleted))})
	}
	return events
}

// StatusEvents tells what changed from one status to the next: one event for each reason that a condition newly gives.
// They are told when the status has been stored, so that each is told once.
func StatusEvents(before, after v1alpha1.FleetStatus) []Event {
	var events []Event
	told := map[string]bool{}
	for _, kind := range []struct{ condition, action string }{
		{v1alpha1.ConditionProgressing, "Roll"},
		{v1alpha1.ConditionPublished, "Publish"},
		{v1alpha1.ConditionReplicaFailure, "ScalePods"},
		{v1alpha1.ConditionSelectorOverlap, "Claim"},
		{v1alpha1.ConditionStalled, "Reconcile"},
	} {
		was := meta.FindStatusCondition(before.Conditions, kind.condition)
		is := meta.FindStatusCondition(after.Conditions, kind.condition)
		if is == nil || told[is.Reason] || was != nil && was.Status == is.Status && was.Reason == is.Reason {
			continue
		}
		eventType := corev1.EventTypeNormal
		if abnormal(*is) {
			eventType = corev1.EventTypeWarning
		}
		told[is.Reason] = true
		events = append(events, Event{eventType, is.Reason, kind.action, is.Message})
	}
	return events
}

// abnormal reports whether a condition asks for attention: Progressing and Published do when False, the others are
// present only when something is wrong.
func abnormal(condition metav1.Condition) bool {
	switch condition.Type {
	case v1alpha1.ConditionProgressing, v1alpha1.ConditionPublished:
		return condition.Status == metav1.ConditionFalse
	default:
		return condition.Status == metav1.ConditionTrue
	}
}

func plural(pods int) string {
	if pods == 1 {
		return "pod"
	}
	return "pods"
}
