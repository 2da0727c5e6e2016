package retrygaps

import (
	"context"
	"time"

	"example.com/twinloop/labs/lab"
)

func exactGaps(ctx context.Context, bench *lab.Bench) error {
	bench.Say("One key fails again and again, on a clock that jumps to where the queue wants to be woken up:")
	l := newLoop()
	defer l.start(ctx)()
	for n := 1; n <= gapsMeasured; n++ {
		gap, err := l.fail(ctx)
		if err != nil {
			return err
		}
		bench.Say("  failure %d: handed out again after %s", n, gap)
		bench.Measure(nameOfGap(n), gap)
	}
	bench.Measure("requeues", l.queue.NumRequeues(key))
	gap, err := l.fail(ctx)
	if err != nil {
		return err
	}
	bench.Say("  it succeeds, nobody calls Forget, and it fails once more: %s", gap)
	bench.Measure("gap-without-forget", gap)
	l.queue.Forget(key)
	if gap, err = l.fail(ctx); err != nil {
		return err
	}
	bench.Say("  it succeeds, Forget is called, and it fails once more: %s", gap)
	bench.Measure("gap-after-forget", gap)
	return nil
}

// reachCap asks the limiter alone: to sit it out takes twenty minutes.
func reachCap(_ context.Context, bench *lab.Bench) error {
	limiter := newLimiter()
	failures, total := 1, time.Duration(0)
	gap := limiter.When(key)
	for gap < 1000*time.Second {
		total += gap
		failures++
		gap = limiter.When(key)
	}
	bench.Say("  failure %d, %s after the first: the gap is %s, and grows no more", failures, total.Round(time.Second), gap)
	bench.Measure("failures-to-cap", failures)
	return nil
}

// realGaps is the same loop in real time.
func realGaps(ctx context.Context, bench *lab.Bench) error {
	bench.Say("\nThe first loop in real time:")
	l := newRealLoop()
	defer l.start(ctx)()
	var last, before time.Duration
	for n := 1; n <= gapsMeasured; n++ {
		gap, err := l.fail(ctx)
		if err != nil {
			return err
		}
		bench.Say("  failure %d: handed out again after %s", n, gap.Round(100*time.Microsecond))
		before, last = last, gap
	}
	ratio := (100 * last / before)
	bench.Measure("real-ratio", float64(ratio)/100)
	return nil
}
