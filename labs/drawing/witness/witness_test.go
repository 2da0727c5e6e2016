package witness

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"example.com/twinloop/labs/drawing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Where two stages are on one stack, one right above the other, an arrow is between them: with the call or, where something is
// asked for, against it.
func TestStacksFollowTheArrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, err := Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for from, sighting := range seen.Sightings {
			stages := seen.stagesOn(sighting.Stack)
			for i := 1; i < len(stages); i++ {
				inner, outer := stages[i-1], stages[i]
				if !joined(inner, outer) {
					t.Errorf("at the %s, the %s calls the %s, and no arrow joins them", from, outer, inner)
				}
				found[string(outer)+" calls "+string(inner)] = true
			}
		}
		for _, want := range []string{
			"reflector calls FIFO", "FIFO calls informer", "informer calls indexer", "listeners calls handlers",
			"handlers calls workqueue", "worker calls reconcile", "reconcile calls lister",
		} {
			if !found[want] {
				t.Errorf("no stack shows that %s: %v", want, found)
			}
		}
	})
}

func joined(a, b drawing.Stage) bool {
	return slices.ContainsFunc(drawing.Whole, func(f drawing.Flow) bool {
		return f.From == a && f.To == b || f.From == b && f.To == a
	})
}

// stagesOn are the stages that a stack goes through, the innermost first, told by the types that each was seen in.
func (t Testimony) stagesOn(stack Stack) []drawing.Stage {
	var stages []drawing.Stage
	for _, frame := range stack {
		for _, stage := range drawing.Whole.Stages() {
			if stage == drawing.APIServer {
				continue
			}
			same := func(call Frame) bool {
				return call.String() == frame.String() || call.Receiver != "" && !call.ours() && call.Receiver == frame.Receiver
			}
			if slices.ContainsFunc(t.Calls(stage), same) && (len(stages) == 0 || stages[len(stages)-1] != stage) {
				stages = append(stages, stage)
			}
		}
	}
	return stages
}

func TestNobodyIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Watch(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
