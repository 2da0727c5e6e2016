package emptycache

import (
	"context"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// few is the size of the Fleet that is reconciled twice.
const few = 3

// noOwnWrites has a synced controller reconcile a Fleet twice before the cache shows what the first time has created.
func noOwnWrites(ctx context.Context, bench *lab.Bench, c *cluster.Cluster) error {
	bench.Say("\nBoth caches are synced; the watch of pods is held. A Fleet of %d is reconciled, labelled, reconciled again:", few)
	always := func(*controller) func() bool { return func() bool { return true } }
	for _, variant := range []struct {
		name string
		naming
		ready func(*controller) func() bool
	}{
		{"unguarded", generated, always},
		{"by-name", numbered, always},
		{"expectations", generated, func(c *controller) func() bool { return c.expectations.fulfilled }},
		{"own-writes", generated, func(c *controller) func() bool {
			return func() bool { return c.ownWrites.shownBy(c.podStore) }
		}},
	} {
		s, err := newStage(ctx, c, variant.name)
		if err != nil {
			return err
		}
		controller, err := s.start(ctx, variant.naming)
		if err != nil {
			return err
		}
		controller.ready = variant.ready(controller)
		err = twice(ctx, bench, s, controller)
		controller.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func twice(ctx context.Context, bench *lab.Bench, s *stage, controller *controller) error {
	if err := cluster.Await(ctx, "the caches are synced", func() bool {
		return controller.fleetsSynced() && controller.podsSynced()
	}); err != nil {
		return err
	}
	s.Proxy.Hold(pods)
	if _, err := s.createFleet(ctx, few); err != nil {
		return err
	}
	first, err := controller.work(ctx)
	if err != nil {
		return err
	}
	if err := s.labelFleet(ctx); err != nil {
		return err
	}
	second, there, later, err := controller.workHeld(ctx, s, few)
	if err != nil {
		return err
	}
	bench.Say("  %s: creates %d, then %d, and %d are refused; there are %d pods, and %d when the cache shows all",
		s.namespace, first.created, second.created, second.refused, there, later)
	bench.Measure("again-"+s.namespace, second.created)
	bench.Measure("refused-"+s.namespace, second.refused)
	bench.Measure("pods-"+s.namespace, there)
	return nil
}
