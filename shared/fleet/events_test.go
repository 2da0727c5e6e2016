package fleet

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

func TestEvents(t *testing.T) {
	status := func(conditions ...fact) v1alpha1.FleetStatus { return given(conditions...).Fleet.Status }
	nothing := status()
	for _, row := range []struct {
		name             string
		before, after    v1alpha1.FleetStatus
		created, deleted int
		want             []string
	}{
		{"nothing happened", nothing, nothing, 0, 0, nil},
		{"one pod", nothing, nothing, 1, 0, []string{"Normal ScaledUp CreatePods: created 1 pod"}},
		{"many pods", nothing, nothing, 40, 2, []string{
			"Normal ScaledUp CreatePods: created 40 pods", "Normal ScaledDown DeletePods: deleted 2 pods"}},
		{"a roll begins", nothing, status(says("Progressing", "True", "RollingOut")), 0, 0,
			[]string{"Normal RollingOut Roll: in words"}},
		{"a roll ends", status(says("Progressing", "True", "RollingOut")),
			status(says("Progressing", "True", "RolledOut")), 0, 0,
			[]string{"Normal RolledOut Roll: in words"}},
		{"a roll stalls: one event, not two", status(says("Progressing", "True", "RollingOut")),
			status(says("Progressing", "False", "ProgressDeadlineExceeded"), says("Stalled", "True", "ProgressDeadlineExceeded")),
			0, 0, []string{"Warning ProgressDeadlineExceeded Roll: in words"}},
		{"a pause", status(says("Progressing", "True", "RollingOut")), status(says("Progressing", "Unknown", "Paused")), 0, 0,
			[]string{"Normal Paused Roll: in words"}},
		{"published", nothing, status(says("Published", "True", "Published")), 0, 0,
			[]string{"Normal Published Publish: in words"}},
		{"taken", nothing, status(says("Published", "False", "NameTaken"), says("Stalled", "True", "NameTaken")), 0, 0,
			[]string{"Warning NameTaken Publish: in words"}},
		{"another reason", status(says("Published", "False", "ServerUnreachable")),
			status(says("Published", "False", "ServerRefused")), 0, 0, []string{"Warning ServerRefused Publish: in words"}},
		{"refused by a quota", nothing, status(says("ReplicaFailure", "True", "FailedCreate")), 2, 0,
			[]string{"Normal ScaledUp CreatePods: created 2 pods", "Warning FailedCreate ScalePods: in words"}},
		{"overlap", nothing, status(says("SelectorOverlap", "True", "Overlap")), 0, 0,
			[]string{"Warning Overlap Claim: in words"}},
		{"refused", nothing, status(says("Stalled", "True", "InvalidSelector")), 0, 0,
			[]string{"Warning InvalidSelector Reconcile: in words"}},
		{"over", status(says("ReplicaFailure", "True", "FailedCreate")), nothing, 0, 0, nil},
		{"availability alone", nothing, status(says("Available", "False", "MinimumReplicasUnavailable"),
			says("Reconciling", "True", "RollingOut")), 0, 0, nil},
		{"told before", status(says("Progressing", "True", "RolledOut"), says("Published", "False", "NameTaken")),
			status(says("Progressing", "True", "RolledOut"), says("Published", "False", "NameTaken")), 0, 0, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := told(append(ScaleEvents(row.created, row.deleted), StatusEvents(row.before, row.after)...)); !slices.Equal(got, row.want) {
				t.Errorf("told %q; want %q", got, row.want)
			}
		})
	}
}

func told(events []Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, fmt.Sprintf("%s %s %s: %s", e.Type, e.Reason, e.Action, e.Note))
	}
	return all
}

// What goes wrong for an hour is told once, though its words and counts change.
func TestEventsAreNotRepeated(t *testing.T) {
	for _, row := range []struct {
		name    string
		seen    Observed
		outcome func(attempt int) Outcome
		want    int
	}{
		{"no quota", given(rolledOut("v1"), pods(1, "v1")), func(attempt int) Outcome {
			return Outcome{CreateFailure: fmt.Errorf("exceeded quota, attempt %d", attempt)}
		}, 2}, // RolledOut and FailedCreate
		{"no server", given(rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test"), heldFor("fleet.test")), func(int) Outcome {
			return Outcome{PublishFailure: zone.ErrUnreachable}
		}, 2}, // RolledOut and ServerUnreachable
		{"a selector that is refused", given(selecting(metav1.LabelSelector{})), func(int) Outcome { return Outcome{} },
			2}, // RollingOut and InvalidSelector
		{"a template that can have no revision", given(rolledOut("v1"), pods(3, "v1"), wants("v2")), func(int) Outcome {
			return Outcome{RevisionFailure: invalid}
		}, 1}, // FailedCreateRevision
		{"a webhook that denies", given(replicas(1), rolledOut("v1"), pods(3, "v1")), func(int) Outcome {
			return Outcome{DeleteFailure: errors.New("denied")}
		}, 2}, // RolledOut and FailedDelete
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := row.seen
			var all []string
			for attempt := range 12 {
				status := Status(seen, planAfter(seen, row.outcome(attempt)), row.outcome(attempt))
				all = append(all, told(StatusEvents(seen.Fleet.Status, status))...)
				seen = then(seen, later(20*time.Second), func(s *Observed) { s.Fleet.Status = written(status) })
			}
			if len(all) != row.want {
				t.Errorf("told %d events, want %d: %q", len(all), row.want, all)
			}
		})
	}
}
