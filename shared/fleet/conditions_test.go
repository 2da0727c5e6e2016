package fleet

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

// conditionOf is a condition in the words "<status> <reason>"; empty when it is absent.
func conditionOf(status v1alpha1.FleetStatus, kind string) string {
	condition := meta.FindStatusCondition(status.Conditions, kind)
	if condition == nil {
		return ""
	}
	return string(condition.Status) + " " + condition.Reason
}

func messageOf(status v1alpha1.FleetStatus, kind string) string {
	condition := meta.FindStatusCondition(status.Conditions, kind)
	if condition == nil {
		return ""
	}
	return condition.Message
}

// report is a situation, what came of its plan, and what one condition says then.
type report struct {
	name    string
	seen    Observed
	outcome Outcome
	want    string
}

// planAfter is the plan that an operator follows to an outcome.
func planAfter(seen Observed, outcome Outcome) Plan {
	if outcome.RevisionFailure != nil {
		return DecideWithoutRevision(seen)
	}
	return Decide(seen)
}

func reported(t *testing.T, kind string, reports []report) {
	t.Helper()
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			status := Status(r.seen, planAfter(r.seen, r.outcome), r.outcome)
			if got := conditionOf(status, kind); got != r.want {
				t.Errorf("%s is %q; want %q", kind, got, r.want)
			}
			if r.want != "" && messageOf(status, kind) == "" {
				t.Errorf("%s has no message", kind)
			}
		})
	}
}

func TestAvailable(t *testing.T) {
	reported(t, v1alpha1.ConditionAvailable, []report{
		{"all", given(rolledOut("v1"), pods(3, "v1")), Outcome{}, "True MinimumReplicasAvailable"},
		{"as many as the strategy asks for", given(replicas(4), rolledOut("v1"), pods(3, "v1")), Outcome{},
			"True MinimumReplicasAvailable"},
		{"fewer", given(replicas(4), rolledOut("v1"), pods(2, "v1"), pods(2, "v1", unready)), Outcome{},
			"False MinimumReplicasUnavailable"},
		{"Recreate asks for all", given(replicas(4), recreating, rolledOut("v1"), pods(3, "v1")), Outcome{},
			"False MinimumReplicasUnavailable"},
		{"of none", given(replicas(0)), Outcome{}, "True MinimumReplicasAvailable"},
	})
}

func TestReplicaFailure(t *testing.T) {
	quota, webhook := errors.New("exceeded quota"), errors.New("denied by a webhook")
	before := says(v1alpha1.ConditionReplicaFailure, metav1.ConditionTrue, v1alpha1.ReasonFailedCreate)
	reported(t, v1alpha1.ConditionReplicaFailure, []report{
		{"none", given(), Outcome{}, ""},
		{"create", given(), Outcome{CreateFailure: quota}, "True FailedCreate"},
		{"delete", given(), Outcome{DeleteFailure: webhook}, "True FailedDelete"},
		{"both", given(), Outcome{CreateFailure: quota, DeleteFailure: webhook}, "True FailedCreate"},
		{"over", given(before), Outcome{}, ""},
	})
	status := Status(given(), Plan{}, Outcome{CreateFailure: quota})
	if got := messageOf(status, v1alpha1.ConditionReplicaFailure); got != quota.Error() {
		t.Errorf("the message is %q", got)
	}
}

func TestSelectorOverlap(t *testing.T) {
	api := func(s *Observed) {
		s.Fleet.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "api"}}
		s.Fleet.Spec.Template.Labels = map[string]string{"app": "api"}
	}
	before := says(v1alpha1.ConditionSelectorOverlap, metav1.ConditionTrue, v1alpha1.ReasonOverlap)
	itself := func(s *Observed) { s.Siblings = append(s.Siblings, s.Fleet) }
	reported(t, v1alpha1.ConditionSelectorOverlap, []report{
		{"alone", given(), Outcome{}, ""},
		{"with itself", given(itself), Outcome{}, ""},
		{"with others", given(sibling("api", api)), Outcome{}, ""},
		{"with its like", given(sibling("web-2")), Outcome{}, "True Overlap"},
		{"over", given(before), Outcome{}, ""},
	})
	seen := given(sibling("c"), sibling("a"), sibling("b"))
	status := Status(seen, Decide(seen), Outcome{})
	if got := messageOf(status, v1alpha1.ConditionSelectorOverlap); !strings.Contains(got, "a, b, c") {
		t.Errorf("the message is %q; want it to name all three in order", got)
	}
}

func TestPublished(t *testing.T) {
	dns := func(facts ...fact) Observed {
		return given(append([]fact{rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test")}, facts...)...)
	}
	held := heldFor("fleet.test.")
	published := says(v1alpha1.ConditionPublished, metav1.ConditionTrue, v1alpha1.ReasonPublished)
	withdrawn := says(v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonWithdrawn)
	failure := func(err error) Outcome { return Outcome{PublishFailure: fmt.Errorf("web.demo.fleet.test.: %w", err)} }
	reported(t, v1alpha1.ConditionPublished, []report{
		{"not wanted", given(), Outcome{}, ""},
		{"no longer wanted, and withdrawn", given(published), Outcome{}, ""},
		{"published", dns(held), Outcome{}, "True Published"},
		{"not yet held: nothing can have been published", dns(), Outcome{}, ""},
		{"held for another zone: withdrawn there before it is published here", dns(heldFor("old.test"), published), Outcome{},
			"False Withdrawn"},
		{"withdrawn there, not yet held here", dns(withdrawn), Outcome{}, "False Withdrawn"},
		{"no longer wanted, and still held", given(held, published), Outcome{}, "False Withdrawn"},
		{"deleting", dns(held, published, deleting), Outcome{}, "False Withdrawn"},
		{"taken", dns(held), failure(zone.Taken(zone.Entry{Owner: "another"})), "False NameTaken"},
		{"refused", dns(held), failure(zone.ErrRefused), "False ServerRefused"},
		{"unreachable", dns(held), failure(zone.ErrUnreachable), "False ServerUnreachable"},
		{"unreachable while deleting", dns(held, deleting), failure(zone.ErrUnreachable), "False ServerUnreachable"},
		{"no domain name", dns(held), failure(ErrInvalidName), "False InvalidName"},
		{"no server", dns(), failure(ErrNoServer), "False NoServer"},
		{"changed under our hands", dns(held), failure(zone.ErrConflict), "False PublishFailed"},
		{"nobody knows where", given(held), failure(ErrUnknownZone), "False UnknownZone"},
	})
}

// Who waits for a deletion is told what it waits for.
func TestPublishedTellsOfDeletion(t *testing.T) {
	const waits = "the deletion waits for the records to be withdrawn: "
	for _, row := range []struct {
		name    string
		failure error
		says    []string
	}{
		{"unreachable", zone.ErrUnreachable, []string{zone.ErrUnreachable.Error()}},
		{"no server", ErrNoServer, []string{"--dns-server"}},
		{"unknown zone", ErrUnknownZone, []string{"restore the annotation " + v1alpha1.DNSZoneAnnotation,
			"remove the finalizer", v1alpha1.DNSFinalizer}},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := given(rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test"), heldFor("fleet.test."))
			message := func(seen Observed) string {
				status := Status(seen, Decide(seen), Outcome{PublishFailure: row.failure})
				return messageOf(status, v1alpha1.ConditionPublished)
			}
			alive, deleted := message(seen), message(then(seen, deleting))
			if strings.Contains(alive, waits) || deleted != waits+alive {
				t.Errorf("it says %q, and %q once it is deleted", alive, deleted)
			}
			for _, part := range row.says {
				if !strings.Contains(deleted, part) {
					t.Errorf("it says %q; want it to say %q", deleted, part)
				}
			}
		})
	}
}

// kstatus takes a Fleet for current when it has neither condition, for failed when it has Stalled, and for in progress
// when it has Reconciling.
func TestReconcilingAndStalled(t *testing.T) {
	settled := func(facts ...fact) Observed {
		return given(append([]fact{rolledOut("v1"), pods(3, "v1")}, facts...)...)
	}
	exceeded := func(s *Observed) {
		start := metav1.NewTime(noon.Add(-progressDeadline(s.Fleet)))
		s.Fleet.Status.LastProgressTime = &start
		s.Fleet.Status.UpdatedReplicas, s.Fleet.Status.ReadyReplicas, s.Fleet.Status.AvailableReplicas = 3, 3, 3
	}
	dns := func(s *Observed) { wantsZone("fleet.test")(s); heldFor("fleet.test")(s) }
	failure := func(err error) Outcome { return Outcome{PublishFailure: err} }
	for _, row := range []struct {
		name                 string
		seen                 Observed
		outcome              Outcome
		reconciling, stalled string
	}{
		{"settled", settled(), Outcome{}, "", ""},
		{"settled again", settled(says("Stalled", "True", "InvalidSelector")), Outcome{}, "", ""},
		{"arrived", settled(says("Reconciling", "True", "RollingOut")), Outcome{}, "", ""},
		{"new", given(), Outcome{}, "True RollingOut", ""},
		{"scaled", settled(replicas(4)), Outcome{}, "True RollingOut", ""},
		{"rolling", settled(wants("v2")), Outcome{}, "True RollingOut", ""},
		{"unready", settled(become("v1", unready)), Outcome{}, "True RollingOut", ""},
		{"the deadline is missed", settled(rollingTo("v2"), pods(1, "v2", unready), exceeded), Outcome{}, "",
			"True ProgressDeadlineExceeded"},
		{"paused", settled(paused), Outcome{}, "", ""},
		{"paused, with a change to come", settled(wants("v2"), paused), Outcome{}, "True Paused", ""},
		{"paused, with a change to come for no pods", settled(wants("v2"), replicas(0), gone(3, "v1"), paused), Outcome{},
			"True Paused", ""},
		{"paused, with a change to come and unpublished", settled(dns, wants("v2"), paused), failure(zone.ErrUnreachable),
			"True PublishFailed", ""},
		{"paused, but scaled", settled(replicas(4), paused), Outcome{}, "True RollingOut", ""},
		{"paused, but not available", settled(become("v1", unready), paused), Outcome{}, "True RollingOut", ""},
		{"paused in the middle of a roll", given(rolledOut("v1"), rollingTo("v2"), pods(2, "v1"), pods(1, "v2"), paused),
			Outcome{}, "True Paused", ""},
		{"paused before the first roll", given(paused), Outcome{}, "True Paused", ""},
		{"published", settled(dns), Outcome{}, "", ""},
		{"the server does not answer", settled(dns), failure(zone.ErrUnreachable), "True PublishFailed", ""},
		{"the server refuses", settled(dns), failure(zone.ErrRefused), "", "True ServerRefused"},
		{"the name is taken", settled(dns), failure(zone.ErrTaken), "", "True NameTaken"},
		{"the name is none", settled(dns), failure(ErrInvalidName), "", "True InvalidName"},
		{"there is no server", settled(dns), failure(ErrNoServer), "", "True NoServer"},
		{"the zone is not known", settled(dns), failure(ErrUnknownZone), "", "True UnknownZone"},
		{"the template can have no revision", settled(wants("v2")), Outcome{RevisionFailure: invalid}, "",
			"True FailedCreateRevision"},
		{"the template may have no revision now", settled(wants("v2")), Outcome{RevisionFailure: forbidden},
			"True FailedCreateRevision", ""},
		{"it may have none, and there are no pods", settled(wants("v2"), replicas(0), gone(3, "v1")),
			Outcome{RevisionFailure: forbidden}, "True FailedCreateRevision", ""},
		{"no number is left for the template", settled(wants("v2"), numbered(math.MaxInt64)), Outcome{}, "",
			"True FailedCreateRevision"},
		{"the selector is empty", settled(selecting(metav1.LabelSelector{})), Outcome{}, "", "True InvalidSelector"},
		{"stuck on its way", settled(dns, says("Reconciling", "True", "RollingOut")), failure(zone.ErrTaken), "",
			"True NameTaken"},
		{"help has come", settled(dns, says("Stalled", "True", "NameTaken"), says("Published", "False", "NameTaken")),
			Outcome{}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			status := Status(row.seen, planAfter(row.seen, row.outcome), row.outcome)
			if got := conditionOf(status, v1alpha1.ConditionReconciling); got != row.reconciling {
				t.Errorf("Reconciling is %q; want %q", got, row.reconciling)
			}
			if got := conditionOf(status, v1alpha1.ConditionStalled); got != row.stalled {
				t.Errorf("Stalled is %q; want %q", got, row.stalled)
			}
		})
	}
}
