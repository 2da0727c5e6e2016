package drill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/twinloop/chaos/proxy"
)

const (
	// quiet is how long nothing may happen for an operator to count as being at rest.
	quiet = 200 * time.Millisecond
	// longQuiet is the same in a fault-free run, to which all others are compared: longer than the second for which the Job
	// controller gathers the changes of pods
	// (k8s.io/kubernetes@v1.37.2/pkg/controller/job/job_controller.go `syncJobBatchPeriod = time.Second`).
	longQuiet = 2 * time.Second
	// longestLongQuiet is how long that is waited for. Some operators report at intervals, and are at rest in between.
	longestLongQuiet = 10 * time.Second
	// longestDelivery is how long the delivery of a step's change is waited for. A real API server takes milliseconds.
	longestDelivery = 5 * time.Second
)

// settle waits until what a step awaits is true, everything is at rest, and, where the fault-free runs have shown what the
// step comes to, it is that. What is still different when the time is up is left for the judge to find. The error is why ctx
// ended before, and what did not hold.
func (r *runner) settle(ctx context.Context, step scripted, holds func(view) error) error {
	rested := false
	for {
		if err := r.await(ctx, holds); err != nil || step.Busy {
			return r.unlessRested(ctx, rested, err)
		}
		if err := r.rest(ctx, quiet); err != nil {
			return r.unlessRested(ctx, rested, err)
		}
		if r.plan.longRest {
			bounded, cancel := context.WithTimeout(ctx, longestLongQuiet)
			_ = r.rest(bounded, longQuiet)
			cancel()
		}
		something, stop := r.changes()
		seen, changed := r.now()
		if holds(seen) != nil {
			stop()
			continue
		}
		rested = true
		if r.differs || r.asExpected(step.Name, seen) {
			stop()
			return nil
		}
		select {
		case <-changed:
		case <-something:
		case <-ctx.Done():
			stop()
			return r.unlessRested(ctx, rested, context.Cause(ctx))
		}
		stop()
	}
}

// unlessRested is nil in place of the error that the time is up, if all that was missing then was that the final state is as
// expected.
func (r *runner) unlessRested(ctx context.Context, rested bool, err error) error {
	if err == nil || !rested || !errors.Is(context.Cause(ctx), errNotSettled) {
		return err
	}
	r.differs = true
	return nil
}

// asExpected reports whether what there is after a step is what there was in the fault-free runs.
func (r *runner) asExpected(step string, seen view) bool {
	return r.plan.expected == nil || r.plan.expected.same(step, r.snapshot(seen))
}

// rest waits until every replica that can work has been shown what there is to see, and since then nothing was written by
// any of them and nothing observed for a while.
func (r *runner) rest(ctx context.Context, d time.Duration) error {
	for {
		began := time.Now()
		for _, replica := range r.replicas {
			if replica.cutOff || replica.running() == nil {
				continue
			}
			since, err := r.shown(ctx, replica)
			if err == nil {
				err = wait(ctx, d-time.Since(since))
			}
			if err == nil {
				err = replica.dns.rest(ctx, d)
			}
			if err == nil {
				err = replica.proxy.Quiet(ctx, d)
			}
			if err != nil {
				return restError(ctx, err)
			}
		}
		if err := r.arena.observer.quiet(ctx, r.namespace, d); err != nil {
			return restError(ctx, err)
		}
		if time.Since(began) < d/2 {
			return nil // all of it has been quiet at the same time
		}
	}
}

// restError returns why a process counts as not working, if it was the step's time that ended; otherwise what never came to
// rest, and why ctx ended.
func restError(ctx context.Context, err error) error {
	if errors.Is(err, errNotWatching) && errors.Is(context.Cause(ctx), errNotSettled) {
		return err
	}
	return fmt.Errorf("%w: the operator goes on writing, or what is observed goes on changing", context.Cause(ctx))
}

// shown waits until a replica watches what it must, and has been shown what the step has changed. It returns since when.
func (r *runner) shown(ctx context.Context, to *replica) (time.Time, error) {
	since, err := to.awaitWatches(ctx)
	if err != nil || r.plan.inCase || since.After(r.changedAt) {
		return since, err // in a case, something may stand in the way of watches on purpose
	}
	bounded, cancel := context.WithDeadline(ctx, r.changedAt.Add(longestDelivery))
	defer cancel()
	for !r.delivered.After(r.changedAt) {
		changed := to.proxy.Changes()
		if !r.owes(to) {
			r.delivered = time.Now()
			break
		}
		select {
		case <-changed:
		case <-bounded.Done():
			if ctx.Err() != nil {
				return since, context.Cause(ctx)
			}
			r.delivered = time.Now()
		}
	}
	return r.delivered, nil
}

// owes reports whether a replica is still to be shown what the step has changed: by a watch that is open, or, where it has
// none, by the next of the lists that it makes again and again.
func (r *runner) owes(to *replica) bool {
	switch {
	case r.change.Name == "":
		return false
	case to.proxy.Owes(r.change):
		return true
	}
	lists, watched := 0, false
	for _, x := range to.proxy.Exchanges() {
		if x.Resource != r.change.Resource || x.Arrived.Before(to.rewatch.started) {
			continue
		}
		if x.Verb == "watch" {
			watched = true
		}
		if x.Verb == "list" {
			if lists++; x.Arrived.After(r.changedAt) && !x.Answered.IsZero() {
				return false
			}
		}
	}
	return lists > 1 && !watched
}

// noteChange notes what a step has changed.
func (r *runner) noteChange(change proxy.Version) {
	r.change, r.changedAt = change, time.Now()
}
