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
