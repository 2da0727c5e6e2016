package fleet

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

func TestCounts(t *testing.T) {
	for _, row := range []struct {
		name string
		seen Observed
		want string // replicas, updated, ready, available
	}{
		{"none", given(), "0 0 0 0"},
		{"all", given(rolledOut("v1"), pods(3, "v1")), "3 3 3 3"},
		{"of two revisions", given(rolledOut("v1"), rollingTo("v2"), pods(3, "v1"), pods(1, "v2")), "4 1 4 4"},
		{"not ready", given(rolledOut("v1"), pods(1, "v1"), pods(1, "v1", unready), pods(1, "v1", unassigned)), "3 3 1 1"},
		{"not yet available", given(minReadySeconds(30), rolledOut("v1"), pods(2, "v1"),
			pods(1, "v1", readyFor(29*time.Second))), "3 3 3 2"},
		{"available just now", given(minReadySeconds(30), rolledOut("v1"), pods(1, "v1", readyFor(30*time.Second))), "1 1 1 1"},
		{"ready in the future, by another clock", given(rolledOut("v1"), pods(1, "v1", readyFor(-time.Minute))), "1 1 1 1"},
		{"not live", given(rolledOut("v1"), pods(1, "v1"), pods(1, "v1", terminating), pods(1, "v1", failed),
			pods(1, "v1", succeeded)), "1 1 1 1"},
		{"about to be adopted", given(rolledOut("v1"), pods(1, "v1", orphan)), "1 1 1 1"},
		{"about to be released", given(rolledOut("v1"), pods(1, "v1", quarantined)), "0 0 0 0"},
		{"of others", given(rolledOut("v1"), pods(1, "v1", foreign)), "0 0 0 0"},
		{"of a deleted Fleet", given(rolledOut("v1"), rollingTo("v2"), pods(2, "v1"), pods(1, "v2"), deleting), "3 1 3 3"},
		{"of a paused Fleet", given(rolledOut("v1"), pods(2, "v1"), paused), "2 2 2 2"},
		{"of a paused Fleet, by the wanted template", given(rolledOut("v1"), pods(2, "v1"), wants("v2"), paused), "2 0 2 2"},
		{"of a paused Fleet that is to go back", given(rolledOut("v1"), rollingTo("v2"), pods(1, "v1"), pods(2, "v2"),
			wants("v1"), paused), "3 1 3 3"},
		{"of a Fleet that is paused before its first roll", given(paused, pods(2, "v1", orphan)), "2 0 2 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := Status(row.seen, Decide(row.seen), Outcome{})
			got := fmt.Sprint(s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas)
			if got != row.want {
				t.Errorf("replicas, updated, ready, available are %s; want %s", got, row.want)
			}
		})
	}
}

func TestObservedGenerationAndSelector(t *testing.T) {
	for name, seen := range map[string]Observed{
		"settled":  given(generation(7), rolledOut("v1"), pods(3, "v1")),
		"deleting": given(generation(7), rolledOut("v1"), pods(3, "v1"), deleting),
		"paused":   given(generation(7), paused),
	} {
		t.Run(name, func(t *testing.T) {
			status := Status(seen, Decide(seen), Outcome{})
			if status.ObservedGeneration != 7 || status.Selector != "app=web" {
				t.Errorf("generation %d, selector %q", status.ObservedGeneration, status.Selector)
			}
		})
	}
}

// The current revision is the last one that all pods had, and all were available.
func TestCurrentRevision(t *testing.T) {
	roll := func(facts ...fact) Observed {
		return given(append([]fact{rolledOut("v1"), rollingTo("v2")}, facts...)...)
	}
	for _, row := range []struct {
		name            string
		seen            Observed
		current, update string
	}{
		{"a roll begins", given(rolledOut("v1"), pods(3, "v1"), wants("v2")), "v1", "v2"},
		{"an old pod is left", roll(pods(1, "v1"), pods(3, "v2")), "v1", "v2"},
		{"a new one is missing", roll(pods(2, "v2")), "v1", "v2"},
		{"a new one is not available", roll(pods(2, "v2"), pods(1, "v2", unready)), "v1", "v2"},
		{"one too many", roll(pods(4, "v2")), "v1", "v2"},
		{"complete", roll(pods(3, "v2")), "v2", "v2"},
		{"complete while an old pod is leaving", roll(pods(3, "v2"), pods(1, "v1", terminating)), "v2", "v2"},
		{"complete of none", roll(replicas(0)), "v2", "v2"},
		{"once complete it stays", given(rolledOut("v1"), pods(1, "v1")), "v1", "v1"},
		{"paused, it is what is rolled out", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), paused), "v1", "v1"},
		{"paused, it is what has arrived", given(rollingTo("v1"), pods(3, "v1"), wants("v2"), paused), "v1", "v1"},
		{"refused, it is what it was", given(rolledOut("v1"), rollingTo("v2"), pods(3, "v1"),
			selecting(metav1.LabelSelector{}), func(s *Observed) { s.Fleet.Status.UpdatedReplicas = 3 }), "v1", "v2"},
		{"a first roll has none", given(pods(2, "v1")), "", "v1"},
		{"paused before the first roll there is none", given(paused, replicas(0)), "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			name := func(version string) string {
				if version == "" {
					return ""
				}
				return nameOf(version)
			}
			status := Status(row.seen, Decide(row.seen), Outcome{})
			if status.CurrentRevision != name(row.current) || status.UpdateRevision != name(row.update) {
				t.Errorf("current is %q, update %q; want %q, %q", status.CurrentRevision, status.UpdateRevision,
					name(row.current), name(row.update))
			}
		})
	}
}

// A status that is written once is not written again: not for the time, nor for a failure that stays the same.
func TestStatusIsWrittenOnce(t *testing.T) {
	failing := Outcome{CreateFailure: errors.New("quota"), PublishFailure: errors.New("no answer")}
	for _, row := range []struct {
		name    string
		seen    Observed
		outcome Outcome
	}{
		{"new", given(), Outcome{}},
		{"settled", given(rolledOut("v1"), pods(3, "v1")), Outcome{}},
		{"published", given(rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test"), heldFor("fleet.test")), Outcome{}},
		{"rolling", given(rolledOut("v1"), pods(3, "v1"), wants("v2")), Outcome{}},
		{"stalled", given(rolledOut("v1"), rollingTo("v2"), pods(3, "v1"), pods(1, "v2", unready)), Outcome{}},
		{"failing", given(rolledOut("v1"), wantsZone("fleet.test"), heldFor("fleet.test")), failing},
		{"paused", given(rolledOut("v1"), pods(1, "v1"), paused), Outcome{}},
		{"refused", given(selecting(metav1.LabelSelector{})), Outcome{}},
		{"paused, with a change to come", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), paused), Outcome{}},
		{"without a revision", given(rolledOut("v1"), pods(3, "v1"), wants("v2")), Outcome{RevisionFailure: invalid}},
		{"without a number", given(rolledOut("v1"), numbered(math.MaxInt64), pods(3, "v1"), wants("v2")), Outcome{}},
		{"overlapping", given(rolledOut("v1"), pods(3, "v1"), sibling("b"), sibling("a")), Outcome{}},
		{"deleting", given(rolledOut("v1"), pods(3, "v1"), deleting), Outcome{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			// Times are stored in whole seconds, whatever the clock says.
			seen := then(row.seen, later(123456789*time.Nanosecond))
			once := written(Status(seen, planAfter(seen, row.outcome), row.outcome))
			again := then(seen, later(time.Minute), func(s *Observed) { s.Fleet.Status = once })
			twice := written(Status(again, planAfter(again, row.outcome), row.outcome))
			if diff := cmp.Diff(once, twice); diff != "" {
				t.Errorf("it is written again (-once +twice):\n%s", diff)
			}
		})
	}
}

func TestForeignConditionIsKept(t *testing.T) {
	for name, seen := range map[string]Observed{
		"settled":  given(rolledOut("v1"), pods(3, "v1")),
		"rolling":  given(),
		"refused":  given(selecting(metav1.LabelSelector{})),
		"deleting": given(rolledOut("v1"), deleting),
	} {
		t.Run(name, func(t *testing.T) {
			seen := then(seen, says("example.com/Audited", metav1.ConditionTrue, "Yearly"))
			stored := seen.Fleet.Status.Conditions[0]
			status := Status(seen, Decide(seen), Outcome{})
			if diff := cmp.Diff(stored, status.Conditions[0]); diff != "" {
				t.Errorf("it changed (-stored +written):\n%s", diff)
			}
			if len(seen.Fleet.Status.Conditions) != 1 {
				t.Errorf("the Fleet that was given became %v", seen.Fleet.Status.Conditions)
			}
		})
	}
}

func TestTransitionTimeChangesWithTheStatusAlone(t *testing.T) {
	transition := func(seen Observed) time.Time {
		for _, condition := range seen.Fleet.Status.Conditions {
			if condition.Type == v1alpha1.ConditionAvailable {
				return condition.LastTransitionTime.UTC()
			}
		}
		t.Fatal("there is no condition Available")
		return time.Time{}
	}
	seen := stored(given(rolledOut("v1"), pods(3, "v1")))
	seen = stored(then(seen, later(time.Hour), replicas(2), generation(2)))
	if got := transition(seen); !got.Equal(noon) {
		t.Errorf("the time is %s though the status has been True since noon", got)
	}
	seen = stored(then(seen, later(time.Hour), become("v1", unready)))
	if got := transition(seen); !got.Equal(noon.Add(2 * time.Hour)) {
		t.Errorf("the time is %s though the status became False at two", got)
	}
}
