package fleet

import (
	"testing"
	"time"
)

func TestScale(t *testing.T) {
	decide(t, []decision{
		{"a new Fleet", given(), "revision v1, create 3 v1"},
		{"up, all at once", given(replicas(9), rolledOut("v1"), pods(3, "v1")), "create 6 v1"},
		{"down, all at once", given(replicas(1), rolledOut("v1"), pods(3, "v1")), "delete 2 v1 (surplus)"},
		{"to nothing", given(replicas(0), rolledOut("v1"), pods(3, "v1")), "delete 3 v1 (surplus)"},
		{"as wanted", given(rolledOut("v1"), pods(3, "v1")), "do nothing"},
		{"a first roll is not held up by pods that start", given(rollingTo("v1"), pods(2, "v1", starting)), "create 1 v1"},
	})
}

// Four pods with one of surge and one of unavailability: at most 5 are live, at least 3 available.
func TestRollingUpdate(t *testing.T) {
	four := func(facts ...fact) Observed { return given(append([]fact{replicas(4), rolledOut("v1")}, facts...)...) }
	decide(t, []decision{
		{"it starts within both bounds", four(pods(4, "v1"), wants("v2")),
			"revision v2, create 1 v2, delete 1 v1 (outdated)"},
		{"it goes on to what may be in flight", four(rollingTo("v2"), pods(3, "v1"), pods(1, "v2", starting)), "create 1 v2"},
		{"then it waits", four(rollingTo("v2"), pods(3, "v1"), pods(2, "v2", starting)), "do nothing"},
		{"an available new pod replaces an old one",
			four(rollingTo("v2"), pods(3, "v1"), pods(1, "v2"), pods(1, "v2", starting)), "delete 1 v1 (outdated)"},
		{"and makes room for another", four(rollingTo("v2"), pods(2, "v1"), pods(1, "v2"), pods(1, "v2", starting)),
			"create 1 v2"},
		{"near the end the last old pods go together", four(rollingTo("v2"), pods(2, "v1"), pods(3, "v2")),
			"delete 2 v1 (outdated)"},
		{"the last new pod is not waited for when enough are available", four(rollingTo("v2"), pods(1, "v1"), pods(3, "v2")),
			"create 1 v2, delete 1 v1 (outdated)"},
		{"all pods are new", four(rollingTo("v2"), pods(4, "v2")), "do nothing"},
		{"ready is not yet available", four(minReadySeconds(30), rollingTo("v2"), pods(3, "v1"),
			pods(2, "v2", readyFor(29*time.Second))), "do nothing"},
		{"available after minReadySeconds", four(minReadySeconds(30), rollingTo("v2"), pods(3, "v1"),
			pods(2, "v2", readyFor(30*time.Second))), "delete 2 v1 (outdated)"},
		{"terminating old pods leave room for new ones",
			four(rollingTo("v2"), pods(3, "v1"), pods(1, "v1", terminating), pods(1, "v2", starting)), "create 1 v2"},
		{"without surge an old pod goes first", four(bounded("0", "1"), pods(4, "v1"), wants("v2")),
			"revision v2, delete 1 v1 (outdated)"},
		{"without surge a new one follows", four(bounded("0", "1"), rollingTo("v2"), pods(3, "v1")), "create 1 v2"},
		{"without unavailability a new pod goes first", four(bounded("1", "0"), pods(4, "v1"), wants("v2")),
			"revision v2, create 1 v2"},
		{"without unavailability an old one follows", four(bounded("1", "0"), rollingTo("v2"), pods(4, "v1"), pods(1, "v2")),
			"delete 1 v1 (outdated)"},
		{"with both zero one may be unavailable", four(bounded("0", "0"), pods(4, "v1"), wants("v2")),
			"revision v2, delete 1 v1 (outdated)"},
		{"with all unavailable it is done at once", four(bounded("0", "100%"), pods(4, "v1"), wants("v2")),
			"revision v2, delete 4 v1 (outdated)"},
		{"of no pods only the revision is new", given(replicas(0), rolledOut("v1"), wants("v2")), "revision v2"},
	})
}

func TestUnavailableOldPodsGoFirst(t *testing.T) {
	four := func(facts ...fact) Observed { return given(append([]fact{replicas(4), rolledOut("v1")}, facts...)...) }
	decide(t, []decision{
		{"instead of available ones", four(pods(3, "v1"), pods(1, "v1", unready), wants("v2")),
			"revision v2, create 1 v2, delete 1 v1 (outdated)"},
		{"as many as the minimum does not need", four(pods(4, "v1", unready), wants("v2")),
			"revision v2, create 1 v2, delete 1 v1 (outdated)"},
		{"none when they are all there is", four(pods(3, "v1", unready), rollingTo("v2"), pods(2, "v2", starting)),
			"do nothing"},
	})
	t.Run("and no other", func(t *testing.T) {
		plan := Decide(four(pods(3, "v1"), pods(1, "v1", unready, named("broken")), wants("v2")))
		if len(plan.Delete) != 1 || plan.Delete[0].Pod.Name != "broken" {
			t.Errorf("decided to %s", inWords(plan))
		}
	})
}

// v2 does not come up; v1 ran before.
func TestBrokenTemplateStallsTheRoll(t *testing.T) {
	stalled := func(facts ...fact) Observed {
		return given(append([]fact{replicas(4), rolledOut("v1"), rollingTo("v2")}, facts...)...)
	}
	decide(t, []decision{
		{"old pods go on serving", stalled(pods(3, "v1"), pods(2, "v2", unready)), "do nothing"},
		{"a failed new pod is replaced", stalled(pods(3, "v1"), pods(1, "v2", unready), pods(1, "v2", failed)), "create 1 v2"},
		{"a lost old pod is replaced by its like", stalled(pods(2, "v1"), pods(2, "v2", unready)), "create 1 v1"},
		{"a lost old pod is replaced though there are pods enough, with a surge alone",
			stalled(bounded("1", "0"), pods(3, "v1"), pods(1, "v2", unready)), "create 1 v1"},
		{"a lost old pod is replaced, with no surge",
			stalled(bounded("0", "1"), pods(2, "v1"), pods(1, "v2", unready)), "create 1 v1"},
		{"an old pod that starts again is waited for",
			stalled(pods(2, "v1"), pods(1, "v1", starting), pods(2, "v2", unready)), "do nothing"},
		{"lost old pods that there is no room for take it from the new ones",
			stalled(pods(1, "v1"), pods(4, "v2", unready)), "delete 2 v2 (surplus)"},
		{"and are then replaced", stalled(pods(1, "v1"), pods(2, "v2", unready)), "create 2 v1"},
		{"all pods are lost", stalled(), "create 2 v2, create 3 v1"},
		{"it scales up in both", stalled(replicas(8), pods(3, "v1"), pods(2, "v2", unready)), "create 2 v2, create 3 v1"},
		{"it scales down in both", stalled(replicas(2), pods(3, "v1"), pods(2, "v2", unready)),
			"delete 1 v2 (surplus), delete 1 v1 (outdated)"},
		{"it scales to nothing", stalled(replicas(0), pods(3, "v1"), pods(2, "v2", unready)),
			"delete 2 v2 (surplus), delete 3 v1 (outdated)"},
		{"a corrected template goes forward, and the broken pods go",
			stalled(pods(3, "v1"), pods(2, "v2", unready), wants("v3")), "revision v3, delete 2 v2 (outdated)"},
		{"the corrected pods come", stalled(rollingTo("v3"), pods(3, "v1")), "create 2 v3"},
		{"going back makes the old revision the newest, and the broken pods go",
			stalled(pods(3, "v1"), pods(2, "v2", unready), wants("v1")), "renumber v1 to 3, delete 2 v2 (outdated)"},
		{"a second broken template does not keep the pods of the first",
			stalled(rollingTo("v3"), pods(2, "v1"), pods(1, "v2", unready), pods(2, "v3", unready)), "delete 1 v2 (outdated)"},
		{"without a revision that ever ran there is only the new one",
			given(replicas(4), rollingTo("v1"), rollingTo("v2"), pods(2, "v2", unready)), "create 2 v2"},
		{"a revision that is gone cannot stand in", stalled(pods(2, "v2", unready), func(s *Observed) {
			s.Fleet.Status.CurrentRevision = "web-gone"
		}), "create 2 v2"},
	})
}

func TestChangesInTheMiddleOfARoll(t *testing.T) {
	halfway := func(facts ...fact) Observed {
		return given(append([]fact{replicas(4), rolledOut("v1"), rollingTo("v2"), pods(2, "v1"), pods(2, "v2")}, facts...)...)
	}
	decide(t, []decision{
		{"roll back", halfway(wants("v1")), "renumber v1 to 3, create 1 v1, delete 1 v2 (outdated)"},
		{"roll on to a third", halfway(wants("v3")), "revision v3, create 1 v3, delete 1 v1 (outdated)"},
		{"scale up", halfway(replicas(8)), "create 4 v2, create 2 v1"},
		{"scale down", halfway(replicas(2)), "delete 2 v1 (outdated)"},
		{"scale down to fewer than are new", halfway(replicas(1)), "delete 1 v2 (surplus), delete 2 v1 (outdated)"},
		{"to Recreate", halfway(recreating), "delete 2 v1 (outdated)"},
		{"to a wider bound", halfway(bounded("100%", "50%")), "create 2 v2, delete 2 v1 (outdated)"},
	})
}

func TestRecreate(t *testing.T) {
	recreate := func(facts ...fact) Observed {
		return given(append([]fact{recreating, rolledOut("v1")}, facts...)...)
	}
	decide(t, []decision{
		{"every old pod goes, and no new one comes", recreate(pods(3, "v1"), wants("v2")),
			"revision v2, delete 3 v1 (outdated)"},
		{"new ones wait for the old that are leaving", recreate(rollingTo("v2"), pods(1, "v1", terminating)), "do nothing"},
		{"so do they in a roll that follows one that was never complete",
			given(recreating, rollingTo("v1"), rollingTo("v2"), pods(1, "v1", terminating)), "do nothing"},
		{"so do they while some old pods are still there",
			recreate(rollingTo("v2"), pods(1, "v1"), pods(2, "v1", terminating)), "delete 1 v1 (outdated)"},
		{"a finished pod that something holds is not waited for",
			recreate(rollingTo("v2"), pods(1, "v1", failed, terminating), pods(1, "v1", succeeded)), "create 3 v2"},
		{"then all new ones come", recreate(rollingTo("v2")), "create 3 v2"},
		{"new ones are replaced while new ones leave", recreate(rollingTo("v2"), pods(2, "v2"), pods(1, "v2", terminating)),
			"create 1 v2"},
		{"it scales", recreate(replicas(5), pods(3, "v1")), "create 2 v1"},
		{"it scales in the middle of a roll", recreate(rollingTo("v2"), replicas(1), pods(3, "v2", starting)),
			"delete 2 v2 (surplus)"},
		{"going back while the old pods leave does not wait for them",
			recreate(rollingTo("v2"), wants("v1"), pods(3, "v1", terminating)), "renumber v1 to 3, create 3 v1"},
	})
}

func TestPaused(t *testing.T) {
	decide(t, []decision{
		{"before the first roll", given(paused), "do nothing"},
		{"before the first roll, with pods", given(paused, replicas(1), pods(2, "v1", orphan)), "adopt 2 v1"},
		{"a changed template is not rolled out", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), paused), "do nothing"},
		{"it scales up with the template in use", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), replicas(5), paused),
			"create 2 v1"},
		{"it scales down", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), replicas(1), paused), "delete 2 v1 (surplus)"},
		{"it heals", given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", failed), wants("v2"), paused), "create 1 v1"},
		{"a roll stays where it is", given(rolledOut("v1"), rollingTo("v2"), pods(2, "v1"), pods(1, "v2"), paused),
			"do nothing"},
		{"a roll gives back its surge", given(rolledOut("v1"), rollingTo("v2"), pods(3, "v1"), pods(1, "v2", starting), paused),
			"delete 1 v2 (surplus)"},
		{"a roll does not go on with what it heals",
			given(rolledOut("v1"), rollingTo("v2"), pods(1, "v1"), pods(1, "v2"), paused), "create 1 v1"},
		{"a first roll heals with what there is", given(rollingTo("v1"), pods(1, "v1"), paused), "create 2 v1"},
		{"Recreate stays where it is",
			given(recreating, rolledOut("v1"), rollingTo("v2"), pods(1, "v1"), pods(2, "v2"), paused), "do nothing"},
		{"resumed", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), paused, resumed), "revision v2, create 1 v2"},
	})
}

func TestLookAgain(t *testing.T) {
	for _, row := range []struct {
		name string
		seen Observed
		want time.Duration
	}{
		{"time changes nothing", given(rolledOut("v1"), pods(3, "v1")), 0},
		{"a pod becomes available", given(minReadySeconds(30), rolledOut("v1"), pods(3, "v1", readyFor(10*time.Second))),
			20 * time.Second},
		{"the next of several", given(minReadySeconds(30), rolledOut("v1"), pods(1, "v1", readyFor(time.Second)),
			pods(1, "v1", readyFor(25*time.Second)), pods(1, "v1")), 5 * time.Second},
		{"a pod that is available", given(minReadySeconds(30), rolledOut("v1"), pods(3, "v1", readyFor(30*time.Second))), 0},
		{"a pod that is not ready", given(minReadySeconds(30), rolledOut("v1"), pods(3, "v1", unready)), 0},
		{"a pod that is leaving", given(minReadySeconds(30), rolledOut("v1"), pods(3, "v1", readyFor(0), terminating)), 0},
		{"a pod that was made ready in the future, with no minimum",
			given(rolledOut("v1"), pods(3, "v1", readyFor(-time.Hour))), 0},
		{"a roll misses its deadline", stored(given(deadline(60), wants("v1"))), time.Minute},
		{"part of the deadline has passed", then(stored(given(deadline(60), wants("v1"))), later(45*time.Second)),
			15 * time.Second},
		{"the deadline is missed", then(stored(given(deadline(60), wants("v1"))), later(time.Minute)), 0},
		{"a paused roll has none", then(stored(given(deadline(60), rollingTo("v1"))), paused), 0},
		{"the zone is due", given(rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test")), 5 * time.Minute},
		{"whichever is first", given(minReadySeconds(30), rolledOut("v1"), pods(3, "v1", readyFor(0)), wantsZone("fleet.test")),
			30 * time.Second},
		{"a deleted Fleet", given(rolledOut("v1"), pods(3, "v1"), wantsZone("fleet.test"), deleting), 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Decide(row.seen).LookAgain; got != row.want {
				t.Errorf("look again in %s; want %s", got, row.want)
			}
		})
	}
}
