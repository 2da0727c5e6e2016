package fleet

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"pgregory.net/rapid"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Whatever the order in which the effects of a plan land, and whatever happens in between, none of them breaks the
// bounds. Each effect is checked as it lands.
func TestBoundsHoldAfterEveryEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.repeat(t, w.anything())
	})
}

// Once the outside is calm and the template comes up, a Fleet gets to where it is wanted, from wherever it was.
func TestEveryFleetConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.repeat(t, w.anything())

		w.tell("calm")
		w.Fleet.Spec.Paused = false
		w.Fleet.Spec.Template = template(rapid.SampledFrom(goodVersions).Draw(t, "version in the end"))
		w.settle(t)
		current := w.revision(w.Fleet.Status.CurrentRevision)
		if !complete(w.Fleet, w.Fleet.Status) || current == nil || !holds(current, w.Fleet.Spec.Template) {
			t.Fatalf("settled, and not complete:\n%s", w)
		}
		// Pods that are of others, or finished and not cleared away, can keep a revision in use.
		inUse := len(w.Pods) - len(w.live())
		if kept := len(controlledBy(w.Fleet, w.Revisions)); kept > 1+int(*w.Fleet.Spec.RevisionHistoryLimit)+inUse {
			t.Fatalf("%d revisions are kept:\n%s", kept, w)
		}
	})
}

// settle lets the operator and the nodes go on until nothing is left to do, and then looks whether it stays so.
func (w *world) settle(t *rapid.T) {
	patience := w.patience()
	for range patience {
		before := w.Fleet.Status.DeepCopy()
		w.calm()
		if plan := w.round(t); plan.Empty() && equality.Semantic.DeepEqual(*before, w.Fleet.Status) {
			w.staysSettled(t)
			return
		}
	}
	t.Fatalf("not settled after %d rounds:\n%s", patience, w)
}

// A settled Fleet has an empty plan and the status it has, now and in an hour, and wakes for nothing but its zone. A
// roll that is stuck has a deadline to miss, which is the one thing that it waits for.
func (w *world) staysSettled(t *rapid.T) {
	if rolling(w.Fleet.Status) {
		return
	}
	for range 2 {
		plan := Decide(copyOf(w.Observed))
		if !plan.Empty() {
			t.Fatalf("settled, and then decided to %s:\n%s", inWords(plan), w)
		}
		if diff := cmp.Diff(w.Fleet.Status, written(Status(copyOf(w.Observed), plan, Outcome{}))); diff != "" {
			t.Fatalf("settled, and the status changes (-stored +written):\n%s\n%s", diff, w)
		}
		want := time.Duration(0)
		if WantedZone(w.Fleet) != "" {
			want = recheckZone
		}
		if plan.LookAgain != want {
			t.Fatalf("settled, and looks again in %s:\n%s", plan.LookAgain, w)
		}
		w.pass(time.Hour)
	}
}

// A template that does not come up stalls the roll, whatever is lost or scaled meanwhile: it comes to rest within its
// bounds, with the pods that ran before.
func TestBrokenTemplateTakesNoCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{Observed: given(rolledOut("v1"), replicas(anyReplicas.Draw(t, "replicas")),
			minReadySeconds(anyMinReady.Draw(t, "minReadySeconds")), anyBounds(t))}
		w.settle(t)
		w.Fleet.Spec.Template = template("broken1")

		outside := w.anything()
		for _, name := range []string{"the strategy", "the template", "paused", "a revision is deleted"} {
			delete(outside, name)
		}
		outside["another broken template"] = func(*rapid.T) { w.Fleet.Spec.Template = template("broken2") }
		w.repeat(t, outside)

		// Of no pods at all a template is rolled out at once, broken or not: nothing that ran is left to fall back on.
		if w.Fleet.Status.CurrentRevision != nameOf("v1") {
			t.Skip("rolled out while there were no pods")
		}
		w.settle(t)
		bounds := BoundsOf(w.Fleet)
		if live := len(w.live()); live > bounds.MaxLive {
			t.Fatalf("stalled with %d live pods, and %d may be:\n%s", live, bounds.MaxLive, w)
		}
		if available := w.available(); available < bounds.MinAvailable {
			t.Fatalf("stalled with %d available pods, and %d must be:\n%s", available, bounds.MinAvailable, w)
		}
	})
}

// A paused Fleet keeps its number of pods, and makes no new revision.
func TestPausedFleetKeepsItsNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.repeat(t, w.anything())

		w.tell("paused")
		w.Fleet.Spec.Paused = true
		before := len(w.Revisions)
		w.settle(t)
		if w.Fleet.Status.UpdateRevision == "" || Decide(copyOf(w.Observed)).history.update == nil {
			return // there is no template to make pods of
		}
		if live := len(w.live()); live != int(*w.Fleet.Spec.Replicas) {
			t.Fatalf("%d pods are live:\n%s", live, w)
		}
		if len(w.Revisions) > before {
			t.Fatalf("a revision was made:\n%s", w)
		}
	})
}

// A decision depends on nothing but what was observed, and leaves it as it was; the order of a list means nothing.
func TestDecisionIsAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := anyWorld(t).Observed
		before := copyOf(seen)
		plan := Decide(seen)
		status := Status(seen, plan, Outcome{})
		if diff := cmp.Diff(before, seen); diff != "" {
			t.Fatalf("what was observed became (-before +after):\n%s", diff)
		}
		if again := Decide(copyOf(seen)); !reflect.DeepEqual(plan, again) {
			t.Fatalf("decided to %s, and then to %s", inWords(plan), inWords(again))
		}
		shuffled := copyOf(seen)
		if len(seen.Pods) > 1 {
			shuffled.Pods = rapid.Permutation(shuffled.Pods).Draw(t, "pods")
		}
		if len(seen.Revisions) > 1 {
			shuffled.Revisions = rapid.Permutation(shuffled.Revisions).Draw(t, "revisions")
		}
		other := Decide(shuffled)
		if !reflect.DeepEqual(plan.Create, other.Create) || !reflect.DeepEqual(plan.Delete, other.Delete) ||
			!reflect.DeepEqual(plan.Prune, other.Prune) || !reflect.DeepEqual(plan.Renumber, other.Renumber) {
			t.Fatalf("decided to %s, and in another order to %s", inWords(plan), inWords(other))
		}
		if diff := cmp.Diff(status, Status(shuffled, other, Outcome{})); diff != "" {
			t.Fatalf("the status depends on the order (-one +other):\n%s", diff)
		}
	})
}

// kstatus knows no Fleet that is both on its way and stuck.
func TestReconcilingAndStalledExcludeEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := anyWorld(t).Observed
		outcome := Outcome{PublishFailure: rapid.SampledFrom([]error{nil, ErrNoServer, ErrInvalidName}).Draw(t, "failure")}
		status := Status(seen, Decide(seen), outcome)
		reconciling := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReconciling)
		stalled := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled)
		if reconciling != nil && stalled != nil {
			t.Fatalf("%v and %v", reconciling, stalled)
		}
		if reconciling == nil && stalled == nil && !settled(seen.Fleet, status) {
			t.Fatal("kstatus takes a Fleet for current whose pods are on their way")
		}
		if meta.FindStatusCondition(status.Conditions, "example.com/Audited") == nil {
			t.Fatal("the condition of somebody else is gone")
		}
	})
}
