package differential

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

// TestAnUndoTrustsAStatusThatLags lets an image come back right after its last pod was taken, and before the status of
// its ReplicaSet tells. The Deployment controller counts that pod, as many others are taken as its count allows, and
// fewer pods are ready than there must be. Kubernetes has the window for as long as the write of a status takes, which
// the test draws out; in minictl it is a tick, which the test makes two.
func TestAnUndoTrustsAStatusThatLags(t *testing.T) {
	t.Parallel()
	p := newPair(t, journey{replicas: 3, surge: "2", unavailable: "2", maxPods: 5, minAvailable: 1})
	p.settle("create")
	before := p.model.objects().sets[0].Name
	p.scale(p.replicas)
	p.settle("scale up")
	p.setImage("web:2.0")
	p.rest()
	after := p.model.objects().nextBatch()

	p.actual.label(before, held, ptr.To(""))
	p.actual.makeReady(after)
	p.actual.await(func() string { return cmp.Diff(0, len(p.actual.snapshot().podsOf(before))) })
	p.model.makeReady(after)
	for len(p.model.objects().podsOf(before)) > 0 {
		p.model.tick()
	}

	p.model.StopReplicaSets = true
	p.undo()
	p.actual.await(func() string { return cmp.Diff(0, len(p.actual.snapshot().podsOf(after))) })
	p.model.tick()
	p.model.tick()
	p.model.StopReplicaSets = false
	p.model.tick()
	for side, seen := range map[string]extremes{"minictl": p.model.seen, "Kubernetes": p.actual.extremes()} {
		if seen.FewestReady != 0 {
			t.Errorf("%s: at least %d pods were ready at any time; the window is closed", side, seen.FewestReady)
		}
	}

	p.actual.label(before, held, nil)
	p.settle("undo")
}
