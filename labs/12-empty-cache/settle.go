package emptycache

import (
	"context"
	"fmt"

	"example.com/twinloop/labs/cluster"
)

// settle works until there are as many pods as wanted, and the cache shows so many. It is what there is then.
func (c *controller) settle(ctx context.Context, s *stage, wanted int) (int, error) {
	var found int
	var failure error
	err := cluster.Await(ctx, fmt.Sprintf("there are %d pods", wanted), func() bool {
		for failure == nil && c.queue.Len() > 0 {
			_, failure = c.work(ctx)
		}
		names, err := s.names(ctx)
		if failure == nil {
			failure = err
		}
		found = len(names)
		return failure != nil || found == wanted && len(c.podStore.ListKeys()) == wanted
	})
	if failure != nil {
		return 0, failure
	}
	return found, err
}

// workHeld reconciles while the watch of pods is held: what it does, how many pods there are then, and how many once the watch
// was released and all is settled.
func (c *controller) workHeld(ctx context.Context, s *stage, wanted int) (done deeds, there, later int, err error) {
	if done, err = c.work(ctx); err != nil {
		return done, 0, 0, err
	}
	names, err := s.names(ctx)
	if err != nil {
		return done, 0, 0, err
	}
	s.Proxy.Release(pods)
	later, err = c.settle(ctx, s, wanted)
	return done, len(names), later, err
}
