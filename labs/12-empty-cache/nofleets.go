package emptycache

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// What a lister with an empty cache can say of a Fleet that exists.
const (
	noSuchFleet = "there is no such Fleet"
	notSynced   = "it cannot know yet"
)

var answers = lab.Choice{noSuchFleet, notSynced}

// noFleets has the controller work when its cache of pods is full, and that of Fleets is empty.
func noFleets(ctx context.Context, bench *lab.Bench, c *cluster.Cluster) error {
	s, err := newFullStage(ctx, c, "no-fleets")
	if err != nil {
		return err
	}
	before, err := s.names(ctx)
	if err != nil {
		return err
	}
	s.Proxy.Hold(fleets)
	controller, err := s.start(ctx, numbered)
	if err != nil {
		return err
	}
	defer controller.stop()
	if err := cluster.Await(ctx, "the pods are in the cache", controller.podsSynced); err != nil {
		return err
	}
	bench.Say("\nA Fleet of %d has its pods. A controller starts; it gets the pods, and the watch of Fleets is held.", len(before))
	if err := conclude(ctx, bench, s, controller); err != nil {
		return err
	}
	s.Proxy.Release(fleets)
	return restore(ctx, bench, s, controller, before)
}

// conclude has the controller conclude from an empty cache that nothing should exist.
func conclude(ctx context.Context, bench *lab.Bench, s *stage, c *controller) error {
	said := notSynced
	if _, err := c.fleets.Get(fleetName); apierrors.IsNotFound(err) {
		said = noSuchFleet
	}
	done, err := c.work(ctx)
	if err != nil {
		return err
	}
	left, err := s.names(ctx)
	if err != nil {
		return err
	}
	bench.Say("  the lister of Fleets says: %s", said)
	bench.Say("  the first reconcile deletes %d pods, without an error; %d are left", done.deleted, len(left))
	bench.Measure("lister-unsynced", said)
	bench.Measure("deleted-unsynced", done.deleted)
	bench.Measure("pods-left", len(left))
	return nil
}

// restore lets the controller work on, now that the Fleet comes into its cache.
func restore(ctx context.Context, bench *lab.Bench, s *stage, c *controller, before map[types.UID]string) error {
	recovered, err := c.settle(ctx, s, many)
	if err != nil {
		return err
	}
	after, err := s.names(ctx)
	if err != nil {
		return err
	}
	sameNames, samePods := common(before, after)
	bench.Say("  the watch goes on, the Fleet comes, and there are %d pods: %d by the names of before, %d by their uid",
		recovered, sameNames, samePods)
	bench.Measure("pods-recovered", recovered)
	bench.Measure("same-names", sameNames)
	bench.Measure("same-pods", samePods)
	return nil
}

// noFleetsYet has the controller wait for its caches first.
func noFleetsYet(ctx context.Context, bench *lab.Bench, c *cluster.Cluster) error {
	s, err := newFullStage(ctx, c, "no-fleets-yet")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.Proxy.Hold(fleets)
	controller, err := s.start(ctx, numbered)
	if err != nil {
		return err
	}
	defer controller.stop()
	refused := countRefusals(&controller.fleetsSynced)
	first := controller.workSynced(ctx)
	if err := cluster.Await(ctx, "the worker waits for Fleets alone, or works", func() bool {
		return refused.Load() > 0 || len(first) > 0
	}); err != nil {
		return err
	}
	keys, requests := controller.queue.Len(), s.writes()
	bench.Say("\nThe same, but the worker waits for both caches. The handlers saw %d pods; %d key waits, and %d writes were sent",
		len(controller.podStore.ListKeys()), keys, requests)
	bench.Measure("keys-while-waiting", keys)
	bench.Measure("writes-while-waiting", requests)

	s.Proxy.Release(fleets)
	outcome := <-first
	if outcome.err != nil {
		return outcome.err
	}
	left, err := s.names(ctx)
	if err != nil {
		return err
	}
	bench.Say("  the watch goes on, the Fleet comes, and the first reconcile deletes %d pods", outcome.deleted)
	bench.Measure("deleted-synced", outcome.deleted)
	bench.Measure("pods-kept", len(left))
	return nil
}

// countRefusals counts how often something is asked whether it has synced, and has not.
func countRefusals(synced *cache.InformerSynced) *atomic.Int64 {
	var refused atomic.Int64
	asked := *synced
	*synced = func() bool {
		if asked() {
			return true
		}
		refused.Add(1)
		return false
	}
	return &refused
}

// common is how many names two sets of pods have in common, and how many pods.
func common(before, after map[types.UID]string) (names, pods int) {
	again := slices.Collect(maps.Values(after))
	for uid, name := range before {
		if slices.Contains(again, name) {
			names++
		}
		if _, same := after[uid]; same {
			pods++
		}
	}
	return names, pods
}

// writes is how many requests to change pods the controller has sent in this part.
func (s *stage) writes() int {
	counts := s.Proxy.Counts()
	return counts["POST pods"] + counts["DELETE pods"]
}
