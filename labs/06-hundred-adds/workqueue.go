package hundredadds

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"example.com/twinloop/labs/lab"
)

const (
	adds  = 100
	key   = "web"
	other = "db"
)

func addBeforeGet(bench *lab.Bench) {
	bench.Say("\n%d Adds before any Get:", adds)
	q := newWatchedQueue()
	defer q.ShutDown()
	q.Add(key)
	q.show(bench, "after the first Add")
	q.addAgain(adds - 1)
	q.show(bench, "after the last Add")
	bench.Measure("reconciles", q.work(bench))
	bench.Measure("touches", q.storage.touches)
	bench.Measure("adds-metric", q.metrics.adds.value())
}

func addWhileHeld(bench *lab.Bench) {
	bench.Say("\n%d Adds while a worker holds the key:", adds)
	q := newWatchedQueue()
	defer q.ShutDown()
	q.Add(key)
	q.Get()
	q.show(bench, "after Get")
	q.addAgain(adds)
	q.show(bench, "after the last Add")
	bench.Measure("touches-while-held", q.storage.touches)
	q.Done(key)
	q.show(bench, "after Done")
	bench.Measure("reconciles-while-held", q.work(bench))
}

func addWithoutDone(ctx context.Context, bench *lab.Bench) error {
	bench.Say("\n%d Adds after a worker forgot Done:", adds)
	q := newWatchedQueue()
	defer q.ShutDown()
	q.Add(key)
	q.Get()
	q.addAgain(adds)
	q.show(bench, "after the last Add")
	bench.Measure("len-without-done", q.Len())
	bench.Measure("depth-without-done", q.dirty())
	q.Add(other)
	q.show(bench, "after Add of "+other)
	handedOut := map[string]int{}
	for q.Len() > 0 {
		got, _ := q.Get()
		handedOut[got]++
		q.Done(got)
		q.show(bench, "after Get and Done of "+got)
	}
	bench.Measure("handed-out-without-done", handedOut[key])
	bench.Measure("other-key-without-done", handedOut[other] == 1)
	longest, err := q.longestRunningAfter(ctx, time.Minute)
	if err != nil {
		return err
	}
	bench.Say("  a minute later the longest running worker has taken %s", longest)
	bench.Measure("longest-running-without-done", longest)
	q.Done(key)
	q.show(bench, "after Done, at last")
	bench.Measure("reconciles-after-late-done", q.work(bench))
	return nil
}

func (q watchedQueue) addAgain(times int) {
	for range times {
		q.Add(key)
	}
}

// work is what workers do until nothing waits. It is the number of reconciles.
func (q watchedQueue) work(bench *lab.Bench) int {
	reconciles := 0
	for q.Len() > 0 {
		got, _ := q.Get()
		reconciles++
		q.show(bench, "after Get: reconcile of "+got)
		q.Done(got)
		q.show(bench, "after Done")
	}
	return reconciles
}

// longestRunningAfter lets time pass and is what the metric says then.
func (q watchedQueue) longestRunningAfter(ctx context.Context, passed time.Duration) (time.Duration, error) {
	ticks := func(context.Context) (bool, error) { return q.clock.HasWaiters(), nil }
	if err := wait.PollUntilContextCancel(ctx, time.Millisecond, true, ticks); err != nil {
		return 0, err
	}
	q.clock.Step(passed)
	select {
	case seconds := <-q.metrics.longestRunning:
		return time.Duration(seconds * float64(time.Second)), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (q watchedQueue) show(bench *lab.Bench, when string) {
	bench.Say("  %-32s dirty %d   processing %d   queue %d", when, q.dirty(), q.processing(), q.Len())
}
