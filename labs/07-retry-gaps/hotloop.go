package retrygaps

import (
	"context"
	"time"

	"example.com/twinloop/labs/lab"
)

func rateLimited(ctx context.Context, bench *lab.Bench) error {
	l := newLoop()
	defer l.start(ctx)()
	attempts := 0
	for began := l.clock.Now(); l.clock.Since(began) < time.Second; attempts++ {
		if _, err := l.fail(ctx); err != nil {
			return err
		}
	}
	bench.Say("\nEvery attempt fails and calls AddRateLimited: %d attempts in the first second", attempts)
	bench.Measure("attempts-rate-limited", attempts)
	return nil
}

// hotLoop adds the key at once. The queue is never empty, so that no Get ever waits; only the bound ends it.
func hotLoop(ctx context.Context, bench *lab.Bench) error {
	l := newLoop()
	defer l.start(ctx)()
	attempts, began := 0, time.Now()
	for attempts < hotBound {
		attempts++
		l.queue.Add(key)
		l.queue.Done(key)
		if l.queue.Len() == 0 {
			break // the next Get would wait
		}
		l.queue.Get()
	}
	bench.Say("Every attempt fails and calls Add: %d attempts without a wait, in %s of real time; the lab stopped it",
		attempts, time.Since(began).Round(time.Microsecond))
	bench.Measure("attempts-hot", attempts)
	bench.Measure("requeues-hot", l.queue.NumRequeues(key))
	return nil
}
