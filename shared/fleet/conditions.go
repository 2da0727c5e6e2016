package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

// ErrNoServer is the failure to publish of an operator that was given no DNS server.
var ErrNoServer = errors.New("the operator was started without a DNS server: set --dns-server")

// ErrUnknownZone is the failure to withdraw records from a zone that is named nowhere any more.
var ErrUnknownZone = fmt.Errorf("the finalizer %s is there, and which zone holds the records is not known: restore the "+
	"annotation %s; or, once the records are known to be gone, remove the finalizer",
	v1alpha1.DNSFinalizer, v1alpha1.DNSZoneAnnotation)

// ErrInvalidName is the failure to publish under a name that is no domain name.
var ErrInvalidName = errors.New("the name to publish is no domain name")

// describe writes the conditions. A condition that somebody else added is left as it is.
func describe(seen Observed, plan Plan, outcome Outcome, status *v1alpha1.FleetStatus) {
	c := conditions{seen: seen, status: status}
	revisionFailure := cmp.Or(plan.revisionFailure, outcome.RevisionFailure)
	c.available()
	c.progressing(revisionFailure)
	c.replicaFailure(outcome)
	c.selectorOverlap()
	c.published(outcome.PublishFailure)
	c.stalledOrReconciling(plan, revisionFailure)
}

type conditions struct {
	seen   Observed
	status *v1alpha1.FleetStatus
}

func (c conditions) set(kind string, value metav1.ConditionStatus, reason, format string, args ...any) {
	meta.SetStatusCondition(&c.status.Conditions, metav1.Condition{
		Type:               kind,
		Status:             value,
		Reason:             reason,
		Message:            fmt.Sprintf(format, args...),
		ObservedGeneration: c.seen.Fleet.Generation,
		LastTransitionTime: metav1.NewTime(c.seen.Now),
	})
}

func (c conditions) remove(kind string) { meta.RemoveStatusCondition(&c.status.Conditions, kind) }

func (c conditions) has(kind, reason string) bool {
	condition := meta.FindStatusCondition(c.status.Conditions, kind)
	return condition != nil && condition.Reason == reason
}

func (c conditions) available() {
	enough := BoundsOf(c.seen.Fleet).MinAvailable
	value, reason := metav1.ConditionTrue, v1alpha1.ReasonMinimumAvailable
	if int(c.status.AvailableReplicas) < enough {
		value, reason = metav1.ConditionFalse, v1alpha1.ReasonMinimumUnavailable
	}
	c.set(v1alpha1.ConditionAvailable, value, reason,
		"%d of %d pods available, at least %d needed", c.status.AvailableReplicas, wantedReplicas(c.seen.Fleet), enough)
}

// progressing follows k8s.io/kubernetes@v1.37.2/pkg/controller/deployment/progress.go:36#DeploymentController.syncRolloutStatus.
func (c conditions) progressing(revisionFailure error) {
	f := c.seen.Fleet
	const kind = v1alpha1.ConditionProgressing
	started := c.has(kind, v1alpha1.ReasonPaused) || c.has(kind, v1alpha1.ReasonRolledOut) ||
		c.has(kind, v1alpha1.ReasonFailedCreateRevision)
	switch {
	case f.DeletionTimestamp != nil:
		return
	case revisionFailure != nil:
		c.set(kind, metav1.ConditionFalse, v1alpha1.ReasonFailedCreateRevision, "%v", revisionFailure)
		return
	case f.Spec.Paused:
		c.set(kind, metav1.ConditionUnknown, v1alpha1.ReasonPaused, "paused: changes of the template are not rolled out")
		return
	case !rolling(*c.status) && c.status.UpdateRevision != "":
		c.set(kind, metav1.ConditionTrue, v1alpha1.ReasonRolledOut, "%s is rolled out", c.status.UpdateRevision)
		if progressed(f.Status, *c.status) {
			c.status.LastProgressTime = c.now()
		}
		return
	case started || c.status.LastProgressTime == nil || progressed(f.Status, *c.status):
		c.status.LastProgressTime = c.now()
		c.set(kind, metav1.ConditionTrue, v1alpha1.ReasonRollingOut, "rolling out %s", c.status.UpdateRevision)
	case !c.seen.Now.Before(c.status.LastProgressTime.Add(progressDeadline(f))):
		c.set(kind, metav1.ConditionFalse, v1alpha1.ReasonProgressDeadlineExceeded,
			"%s made no progress for %s", c.status.UpdateRevision, progressDeadline(f))
	}
}

// now is the time as it is stored, in whole seconds.
func (c conditions) now() *metav1.Time {
	now := metav1.NewTime(c.seen.Now).Rfc3339Copy()
	return &now
}

func (c conditions) replicaFailure(outcome Outcome) {
	const kind = v1alpha1.ConditionReplicaFailure
	switch {
	case outcome.CreateFailure != nil:
		c.set(kind, metav1.ConditionTrue, v1alpha1.ReasonFailedCreate, "%v", outcome.CreateFailure)
	case outcome.DeleteFailure != nil:
		c.set(kind, metav1.ConditionTrue, v1alpha1.ReasonFailedDelete, "%v", outcome.DeleteFailure)
	default:
		c.remove(kind)
	}
}

func (c conditions) selectorOverlap() {
	var names []string
	for _, sibling := range c.seen.Siblings {
		if sibling.UID != c.seen.Fleet.UID && Overlaps(c.seen.Fleet, sibling) {
			names = append(names, sibling.Name)
		}
	}
	if len(names) == 0 {
		c.remove(v1alpha1.ConditionSelectorOverlap)
		return
	}
	slices.Sort(names)
	c.set(v1alpha1.ConditionSelectorOverlap, metav1.ConditionTrue, v1alpha1.ReasonOverlap,
		"selects the same pods as %s; each keeps the pods it has, but which adopts an orphan is left to chance",
		strings.Join(names, ", "))
}

func (c conditions) published(failure error) {
	const kind = v1alpha1.ConditionPublished
	f := c.seen.Fleet
	switch step := NextPublishingStep(f); {
	case failure != nil && f.DeletionTimestamp != nil:
		c.set(kind, metav1.ConditionFalse, publishReason(failure),
			"the deletion waits for the records to be withdrawn: %v", failure)
	case failure != nil:
		c.set(kind, metav1.ConditionFalse, publishReason(failure), "%v", failure)
	case step == NothingToPublish:
		c.remove(kind)
	case step == Withdraw:
		c.set(kind, metav1.ConditionFalse, v1alpha1.ReasonWithdrawn, "the records are withdrawn from %s", HeldZone(f))
	case step == Publish:
		c.set(kind, metav1.ConditionTrue, v1alpha1.ReasonPublished,
			"the addresses of the ready pods are published in %s", WantedZone(f))
	}
}

func publishReason(failure error) string {
	for _, known := range []struct {
		err    error
		reason string
	}{
		{zone.ErrTaken, v1alpha1.ReasonNameTaken},
		{zone.ErrRefused, v1alpha1.ReasonServerRefused},
		{zone.ErrUnreachable, v1alpha1.ReasonServerUnreachable},
		{ErrInvalidName, v1alpha1.ReasonInvalidName},
		{ErrNoServer, v1alpha1.ReasonNoServer},
		{ErrUnknownZone, v1alpha1.ReasonUnknownZone},
	} {
		if errors.Is(failure, known.err) {
			return known.reason
		}
	}
	return v1alpha1.ReasonPublishFailed
}

// needsHelp are the conditions that no retry of the operator's will mend.
var needsHelp = []struct{ kind, reason string }{
	{v1alpha1.ConditionProgressing, v1alpha1.ReasonProgressDeadlineExceeded},
	{v1alpha1.ConditionPublished, v1alpha1.ReasonNameTaken},
	{v1alpha1.ConditionPublished, v1alpha1.ReasonServerRefused},
	{v1alpha1.ConditionPublished, v1alpha1.ReasonInvalidName},
	{v1alpha1.ConditionPublished, v1alpha1.ReasonNoServer},
	{v1alpha1.ConditionPublished, v1alpha1.ReasonUnknownZone},
}

func (c conditions) stalledOrReconciling(plan Plan, revisionFailure error) {
	reason, message := c.stall(plan.refusal, revisionFailure)
	if reason != "" {
		c.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, "%s", message)
		c.remove(v1alpha1.ConditionReconciling)
		return
	}
	c.remove(v1alpha1.ConditionStalled)
	f, status := c.seen.Fleet, c.status
	switch {
	case revisionFailure != nil:
		c.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonFailedCreateRevision, "%v", revisionFailure)
	case !settled(f, *status):
		c.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonRollingOut,
			"%d of %d pods updated, %d available", status.UpdatedReplicas, wantedReplicas(f), status.AvailableReplicas)
	case meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionPublished):
		c.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonPublishFailed,
			"the records are not yet as they should be")
	case f.Spec.Paused && (plan.history.pending() || !complete(f, *status)):
		c.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonPaused,
			"paused: %d of %d pods updated", status.UpdatedReplicas, wantedReplicas(f))
	default:
		c.remove(v1alpha1.ConditionReconciling)
	}
}

func (c conditions) stall(refused *refusal, revisionFailure error) (reason, message string) {
	if refused != nil {
		return refused.reason, refused.message
	}
	if forGood(revisionFailure) {
		return v1alpha1.ReasonFailedCreateRevision, revisionFailure.Error()
	}
	for _, help := range needsHelp {
		if c.has(help.kind, help.reason) {
			return help.reason, meta.FindStatusCondition(c.status.Conditions, help.kind).Message
		}
	}
	return "", ""
}
