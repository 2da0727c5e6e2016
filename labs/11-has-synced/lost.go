package hassynced

import (
	"context"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// What the lister can say of a ConfigMap that was changed while nobody told it.
const (
	past    = "the value of before"
	present = "the value of now"
	failed  = "an error"
)

var answers = lab.Choice{past, present, failed}

// notConnected breaks the informer's connection, and every attempt at another one, while a ConfigMap is changed.
func notConnected(ctx context.Context, bench *lab.Bench, s *settings) error {
	s.Proxy.Intercept(proxy.Drop(proxy.Place{}, func() {}))
	s.Proxy.Freeze()
	s.Proxy.Thaw()
	if err := s.paint(ctx, "green"); err != nil {
		return err
	}
	if err := cluster.Await(ctx, "the informer has failed", func() bool { return s.failures.Load() > 0 }); err != nil {
		return err
	}
	served, err := s.served()
	bench.Say("\n3. Not that it will ever be taken back. The connection breaks, no other comes about, and the color of %s "+
		"is set to green:", nameOf(1))
	answer, says := past, served+", and no error"
	switch {
	case err != nil:
		answer, says = failed, err.Error()
	case served == "green":
		answer = present
	}
	bench.Say("  the lister returns: %s; HasSynced: %t", says, s.informer.HasSynced())
	bench.Measure("synced-while-cut-off", s.informer.HasSynced())
	bench.Measure("served-while-cut-off", answer)
	s.Proxy.Intercept(nil)
	if err := cluster.Await(ctx, "the lister has caught up", func() bool { return s.shows("green") }); err != nil {
		return err
	}
	bench.Say("  connections come about again: in the cache it is green")
	return nil
}

// notRunning stops the informer.
func notRunning(_ context.Context, bench *lab.Bench, s *settings) error {
	s.stop()
	bench.Say("  the informer is stopped: HasSynced: %t, and the lister serves %d", s.informer.HasSynced(), s.cached())
	bench.Measure("stopped", s.informer.IsStopped())
	bench.Measure("synced-after-stop", s.informer.HasSynced())
	bench.Measure("served-after-stop", s.cached())
	return nil
}
