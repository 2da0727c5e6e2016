package retrygaps

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

const key = "web"

// loop is a worker with one key, and its queue.
type loop struct {
	queue workqueue.TypedRateLimitingInterface[string]
	clock clock.WithTicker
	jump  func(context.Context) error
}

// newLoop is a loop on a clock that jumps, with the exponential part of the default limiter.
func newLoop() loop {
	c := newJumpingClock()
	return loop{newQueue(c), c, c.jump}
}

// newRealLoop is a loop in real time.
func newRealLoop() loop {
	return loop{newQueue(clock.RealClock{}), clock.RealClock{}, func(context.Context) error { return nil }}
}

// newLimiter is the one that controllers have for each key.
func newLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
}

func newQueue(c clock.WithTicker) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(newLimiter(), workqueue.TypedRateLimitingQueueConfig[string]{Clock: c})
}

// start hands the key to the worker. The loop ends with ctx, or with what start returns.
func (l loop) start(ctx context.Context) (stop func()) {
	release := context.AfterFunc(ctx, l.queue.ShutDown)
	l.queue.Add(key)
	l.queue.Get()
	return func() {
		release()
		l.queue.ShutDown()
	}
}

// fail reports a failure of the key that the worker holds, and waits until it is handed out again. It is how long that took.
func (l loop) fail(ctx context.Context) (time.Duration, error) {
	failed := l.clock.Now()
	l.queue.AddRateLimited(key)
	l.queue.Done(key)
	if err := l.jump(ctx); err != nil {
		return 0, err
	}
	if _, shutdown := l.queue.Get(); shutdown {
		return 0, ctx.Err()
	}
	return l.clock.Since(failed), nil
}
