package emptycache

import (
	"context"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// noPods is the reverse: the controller works when the Fleet is in its cache, and the pods are not.
func noPods(ctx context.Context, bench *lab.Bench, c *cluster.Cluster) error {
	bench.Say("\nThe reverse: the Fleet of %d is in the cache, and the watch of pods is held.", many)
	for _, variant := range []struct {
		name string
		naming
	}{
		{"generated", generated}, {"numbered", numbered},
	} {
		s, err := newFullStage(ctx, c, "no-pods-"+variant.name)
		if err != nil {
			return err
		}
		if err := doubled(ctx, bench, s, variant.name, variant.naming); err != nil {
			return err
		}
	}
	return nil
}

func doubled(ctx context.Context, bench *lab.Bench, s *stage, name string, naming naming) error {
	s.Proxy.Hold(pods)
	controller, err := s.start(ctx, naming)
	if err != nil {
		return err
	}
	defer controller.stop()
	if err := cluster.Await(ctx, "the Fleet is in the cache", controller.fleetsSynced); err != nil {
		return err
	}
	done, there, later, err := controller.workHeld(ctx, s, many)
	if err != nil {
		return err
	}
	bench.Say("  %s names: the first reconcile creates %d, and %d are refused; there are %d pods, and %d when the cache is filled",
		name, done.created, done.refused, there, later)
	bench.Measure("created-"+name, done.created)
	bench.Measure("refused-"+name, done.refused)
	bench.Measure("pods-"+name, there)
	bench.Measure("pods-"+name+"-later", later)
	return nil
}
