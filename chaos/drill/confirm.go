package drill

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// reruns is how often a point is run again, at the most, until what was found there is found again.
	reruns = 3
	// enoughPoints is at how many points a finding must have been found again to be believed at others.
	enoughPoints = 3
)

// confirmations count at how many points findings were found again, by their keys.
type confirmations struct {
	mu     sync.Mutex
	points map[string]int
}

// enough reports whether one of some findings was found again at enough points.
func (c *confirmations) enough(found []Finding) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(found, func(f Finding) bool { return c.points[f.key()] >= enoughPoints })
}

func (c *confirmations) count(found []Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.points == nil {
		c.points = map[string]int{}
	}
	for _, finding := range found {
		c.points[finding.key()]++
	}
}

// agree reports whether two runs were found wrong by the same oracle.
func agree(one, other []Finding) bool {
	return slices.ContainsFunc(one, func(a Finding) bool {
		return slices.ContainsFunc(other, func(b Finding) bool { return a.Oracle == b.Oracle })
	})
}

// blame parts the findings in a run into those that the fault can have caused and those from before it was injected: from an
// earlier step, or an earlier time.
func blame(run *Recording, steps []string, found []Finding) (before, caused []Finding) {
	if len(run.Strikes) == 0 {
		return found, nil
	}
	first := run.Strikes[0]
	struck := slices.Index(steps, strings.TrimSuffix(first.Step, again))
	for _, finding := range found {
		step := slices.Index(steps, finding.step)
		if finding.at.Before(first.At) && !finding.at.IsZero() || step >= 0 && step < struck {
			before = append(before, finding)
		} else {
			caused = append(caused, finding)
		}
	}
	return before, caused
}

// blamed returns what was found in a run that its fault can have caused, and that does not happen without it, as far as is
// known now.
func (f *field) blamed(run *Recording) []Finding {
	_, caused := f.blame(run)
	return f.baseline.withoutFlakes(caused)
}

// blame parts what is found in a run, as far as is known now, into what is from before its fault and what is not.
func (f *field) blame(run *Recording) (before, caused []Finding) {
	return blame(run, f.definition.stepNames(), f.judge(f.baseline.current(), run))
}

// confirm runs a point again at which something was found, with a fault-free run beside it on the same machine, until the same
// oracle objects again. What happens in the fault-free runs as well is the operator's own flakiness, and not the fault's.
func (f *field) confirm(ctx context.Context, point Point, run *Recording, runs int) (PointResult, error) {
	for range reruns {
		if f.confirmed.enough(f.blamed(run)) {
			break
		}
		next, err := f.runBeside(ctx, point)
		if err != nil {
			return PointResult{}, err
		}
		runs++
		injected := len(next.Strikes) == len(point.blows())
		switch found, again := f.blamed(run), f.blamed(next); {
		case len(found) > 0 && agree(found, again):
			f.confirmed.count(found)
			return newPointResult(point, runs, len(run.Strikes) == len(point.blows()), run, found), nil
		case len(found) == 0 && len(again) == 0 && injected:
			return newPointResult(point, runs, true, next, nil), nil
		case len(found) == 0 && len(again) > 0:
			run = next
		}
	}
	found := f.blamed(run)
	result := newPointResult(point, runs, len(run.Strikes) == len(point.blows()), run, found)
	if len(found) > 0 && !f.confirmed.enough(found) {
		result.Verdict = NotConfirmed
	}
	return result, nil
}

// runBeside runs a point, and the scenario without a fault at the same time.
func (f *field) runBeside(ctx context.Context, point Point) (*Recording, error) {
	var run *Recording
	both, running := errgroup.WithContext(ctx)
	if f.subject.ClusterWide {
		both.SetLimit(1)
	}
	both.Go(func() (err error) {
		run, err = f.runOnce(running, point)
		return err
	})
	both.Go(func() error { return f.faultFree(running, f.namespace(), f.baseline, f.faultFreePlan()) })
	return run, both.Wait()
}

// confirmAlone runs a point without a fault at a write again until it fails as before.
func (f *field) confirmAlone(ctx context.Context, first PointResult, again func(context.Context) (PointResult, error)) (PointResult, error) {
	for runs := 2; first.Verdict == Failed && runs <= 1+reruns; runs++ {
		next, err := again(ctx)
		if err != nil {
			return PointResult{}, err
		}
		first.Attempts = runs
		if next.Verdict == Failed && agree(first.Findings, next.Findings) {
			return first, nil
		}
	}
	if first.Verdict == Failed {
		first.Verdict = NotConfirmed
	}
	return first, nil
}
