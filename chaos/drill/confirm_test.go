package drill

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// A finding is blamed on a fault only if it can have caused it.
func TestBlame(t *testing.T) {
	steps := []string{"create", "scale", "delete"}
	began := time.Unix(1000, 0)
	struck := []*Strike{{Blow: Blow{Place: proxy.Place{Step: "scale"}, Fault: After}, At: began}}
	inRestart := []*Strike{{Blow: Blow{Place: proxy.Place{Step: "scale" + again}, Fault: After}, At: began}}
	for _, test := range []struct {
		name    string
		strikes []*Strike
		finding Finding
		caused  bool
	}{
		{"nothing was injected", nil, Finding{step: "delete"}, false},
		{"an earlier step", struck, Finding{step: "create"}, false},
		{"its own step", struck, Finding{step: "scale"}, true},
		{"the step of a restart", inRestart, Finding{step: "scale"}, true},
		{"a later step", struck, Finding{step: "delete"}, true},
		{"an earlier moment", struck, Finding{at: began.Add(-time.Millisecond)}, false},
		{"a later moment", struck, Finding{at: began.Add(time.Millisecond)}, true},
		{"at no known time", struck, Finding{}, true},
		{"a step that is none of the scenario's", struck, Finding{step: "silence"}, true},
	} {
		before, caused := blame(&Recording{Strikes: test.strikes}, steps, []Finding{test.finding})
		if len(before)+len(caused) != 1 || (len(caused) == 1) != test.caused {
			t.Errorf("%s: %d before it, %d caused by it", test.name, len(before), len(caused))
		}
	}
}

// What was found without a fault too, at whatever point of the scenario, is the operator's flakiness.
func TestFlakes(t *testing.T) {
	b := &baseline{}
	hangs := Finding{Oracle: Converges, Text: "scale: not settled after 30s"}
	b.add(&Recording{}, []Finding{hangs})
	b.add(endsIn("a", 2), nil)
	b.add(endsIn("a", 1), nil)
	b.add(endsIn("a", 2), nil)
	b.addBefore(&Recording{}, []Finding{{Oracle: Converges, Text: "scale: not settled after 31s"}})
	flakes := b.flakes()
	if len(flakes) != 2 {
		t.Fatalf("%+v", flakes)
	}
	if f := flakes[0]; f.Oracle != Converges || f.Runs != 1 || f.Of != 4 || f.Before != 1 {
		t.Errorf("of what did not settle: %+v", f)
	}
	if f := flakes[1]; f.Oracle != FinalState || f.Runs != 1 || f.Of != 4 || f.Before != 0 {
		t.Errorf("of what was lost: %+v", f)
	}
	lost := b.current().finalState(endsIn("a", 1))
	leaks := Finding{Oracle: Leaks, Text: "pods a outlives its owner"}
	if left := b.withoutFlakes([]Finding{hangs, leaks, lost}); len(left) != 1 || left[0].Oracle != Leaks {
		t.Errorf("left: %+v", left)
	}
}

func TestConfirmationsAtEnoughPoints(t *testing.T) {
	var c confirmations
	found := []Finding{{Oracle: Leaks, Text: "pods web-x7k2p outlives its owner"}}
	for range enoughPoints {
		if c.enough(found) {
			t.Error("too few points are enough")
		}
		c.count(found)
	}
	if !c.enough([]Finding{{Oracle: Leaks, Text: "pods web-9qzzz outlives its owner"}}) {
		t.Error("the same at another point has to be found again")
	}
	if c.enough([]Finding{{Oracle: Leaks, Text: "secrets a outlives its owner"}}) {
		t.Error("something else is believed too")
	}
}

func TestMissingWatches(t *testing.T) {
	of := func(kinds ...proxy.Kind) map[proxy.Kind]bool {
		watches := map[proxy.Kind]bool{}
		for _, kind := range kinds {
			watches[kind] = true
		}
		return watches
	}
	for _, test := range []struct {
		name     string
		rewatch  rewatch
		watching map[proxy.Kind]bool
		missing  int
	}{
		{"the first process", rewatch{}, nil, 0},
		{"all open and shown", rewatch{watches: of("WATCH pods", "WATCH fleets")}, of("WATCH pods", "WATCH fleets"), 0},
		{"one not open", rewatch{watches: of("WATCH pods", "WATCH fleets")}, of("WATCH pods"), 1},
		{"one not shown its first state", rewatch{watches: of("WATCH pods")}, map[proxy.Kind]bool{"WATCH pods": false}, 1},
		{"the same in a case", rewatch{watches: of("WATCH pods"), lenient: true}, map[proxy.Kind]bool{"WATCH pods": false}, 0},
		{"more than its predecessor", rewatch{watches: of("WATCH pods")}, of("WATCH pods", "WATCH nodes"), 0},
	} {
		if missing := test.rewatch.missingWatches(test.watching); len(missing) != test.missing {
			t.Errorf("%s: %v are missing, want %d", test.name, missing, test.missing)
		}
	}
}

// A process that is killed while it is waited for is struck; only one that had a step's whole time has not begun to work.
func TestRestThatIsInterrupted(t *testing.T) {
	for cause, notWorking := range map[error]bool{errStruck: false, errEnded: false, errNotSettled: true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		err := restError(ctx, notWatching([]proxy.Kind{"WATCH pods"}))
		if errors.Is(err, errNotWatching) != notWorking || !notWorking && !errors.Is(err, cause) {
			t.Errorf("interrupted since %v: %v", cause, err)
		}
	}
}
