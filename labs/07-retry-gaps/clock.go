package retrygaps

import (
	"context"
	"time"

	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
)

// jumpingClock stands still, and jumps to where the queue wants to be woken up. So a gap is exactly what the queue asked for.
type jumpingClock struct {
	*testingclock.FakeClock
	timers chan time.Duration
}

func newJumpingClock() jumpingClock {
	return jumpingClock{testingclock.NewFakeClock(time.Unix(0, 0)), make(chan time.Duration, 1)}
}

func (c jumpingClock) NewTimer(d time.Duration) clock.Timer {
	timer := c.FakeClock.NewTimer(d)
	c.timers <- d
	return timer
}

// jump waits until the queue has set a timer, and moves the clock to its end.
func (c jumpingClock) jump(ctx context.Context) error {
	select {
	case d := <-c.timers:
		c.Step(d)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
