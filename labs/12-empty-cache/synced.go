package emptycache

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

type outcome struct {
	deeds
	err error
}

// workSynced is what a controller does that waits for its caches: it works only then. What came of it is told, once.
// HasSynced is asked again and again, of the pods first, and of Fleets only when it is true of the pods.
func (c *controller) workSynced(ctx context.Context) <-chan outcome {
	told := make(chan outcome, 1)
	go func() {
		if !cache.WaitForCacheSync(ctx.Done(), c.podsSynced, c.fleetsSynced) {
			told <- outcome{err: ctx.Err()}
			return
		}
		done, err := c.work(ctx)
		told <- outcome{done, err}
	}()
	return told
}
