package drill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/controlplane"
)

// attempts is how often a point is run until it is reached. An operator does not write the same number of times in
// every run: two changes that come close together are sometimes one write.
const attempts = 20

// wrongAttempts is after how many runs that went wrong before their fault was injected a point is not judged.
const wrongAttempts = 3

// attemptsAtPair is how often a pair is run that was drawn, and that another can stand in for.
const attemptsAtPair = 3

// Options say how a drill is run.
type Options struct {
	Definition   *Definition
	Subject      Subject
	ControlPlane *controlplane.ControlPlane
	// Lanes is how many runs there are at once.
	Lanes int
	// Points are the only points to run; all there are when there are none.
	Points []Point
	// Shard i of n runs every n-th point from the i-th on; 0 of 0 runs all.
	Shard, Shards int
	// Seed decides which pairs are drawn.
	Seed uint64
	// Progress is called when a run begins and when it has ended, from one goroutine at a time; nil for nobody.
	Progress func(Progress)
}

// Progress is how far a drill has come.
type Progress struct {
	Done, Total, Failed int
	// Point is the one whose run begins; or, with a Result, has ended.
	Point  Point
	Result *PointResult
}

// Run holds a drill: a run for each of its points. The error is that it could not be held: the run without any fault
// failed, there was no point to inject at, or ctx ended. If some points had been run by then, there is a report of them.
func Run(ctx context.Context, options Options) (*Report, error) {
	began := time.Now()
	a, err := newArena(ctx, options.Definition, options.Subject, options.ControlPlane)
	if err != nil {
		return nil, err
	}
	defer a.close()
	baseline, err := a.recordBaseline(ctx, options)
	if err != nil {
		return nil, err
	}
	reference := baseline.current()
	chosen, err := options.choose(a.points(reference.stable), a.points(reference.unstable))
	if err != nil {
		return nil, err
	}
	field := &field{arena: a, baseline: baseline, options: options}
	results, err := field.runAll(ctx, chosen)
	if err == nil {
		var pairs []PointResult
		pairs, err = field.runPairs(ctx, field.shufflePairs(results))
		results = append(results, pairs...)
	}
	if len(results) == 0 {
		return nil, err
	}
	report := newReport(a, baseline, results, time.Since(began))
	report.Summary.Interrupted = err != nil
	return report, err
}

// points are all that the plan has of an operator that makes these writes.
func (a *arena) points(writes []proxy.Place) []Point {
	d := a.definition
	all := rounds(d.Cases) // first, since they may take long
	if len(d.Faults) > 0 {
		all = append(all, points(writes, d.Faults, updateKind(d.Zone))...)
	}
	if d.Silence.Duration > 0 {
		all = append(all, silences(d.Scenario)...)
	}
	return all
}

// field is where the runs of a drill take place.
type field struct {
	*arena
	baseline  *baseline
	confirmed confirmations
	options   Options

	mu                  sync.Mutex
	done, total, failed int
	runs                int
}

// runAll runs the points, several at once, and returns the results of those that were run to their end, in the order of the points.
func (f *field) runAll(ctx context.Context, all []Point) ([]PointResult, error) {
	f.total += len(all)
	results := make([]PointResult, len(all))
	err := atOnce(ctx, f.lanes(f.options), len(all), func(ctx context.Context, i int) (err error) {
		f.report(all[i], nil)
		if results[i], err = f.runPoint(ctx, all[i]); err != nil {
			return fmt.Errorf("%s: %w", all[i], err)
		}
		f.report(all[i], &results[i])
		return nil
	})
	return slices.DeleteFunc(results, func(r PointResult) bool { return r.Verdict == "" }), err
}

// lanes is how many runs there are at once.
func (a *arena) lanes(o Options) int {
	if a.subject.ClusterWide {
		return 1
	}
	return max(1, o.Lanes)
}

// report tells of a run that begins, or has ended.
func (f *field) report(point Point, result *PointResult) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if result != nil {
		f.done++
		switch {
		case result.Verdict == NotReached && point.Again != (Blow{}):
			f.done, f.total = f.done-1, f.total-1 // another stands in for it
		case result.Verdict.fails():
			f.failed++
		}
	}
	if f.options.Progress != nil {
		f.options.Progress(Progress{f.done, f.total, f.failed, point, result})
	}
}

// namespace is a new one for a run.
func (f *field) namespace() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs++
	return fmt.Sprintf("%s-%d", f.name, f.runs)
}

func (f *field) runPoint(ctx context.Context, point Point) (PointResult, error) {
	run := f.runSilence
	switch {
	case point.Case != "":
		run = f.runCase
	case point.Fault != Silence:
		return f.runBlows(ctx, point)
	}
	again := func(ctx context.Context) (PointResult, error) { return run(ctx, point) }
	result, err := again(ctx)
	if err != nil {
		return PointResult{}, err
	}
	return f.confirmAlone(ctx, result, again)
}

// runBlows runs a point until it is reached. A run that went wrong before its fault was injected tells nothing of the fault: the
// next has a fault-free run beside it, to tell what the operator does by itself.
func (f *field) runBlows(ctx context.Context, point Point) (PointResult, error) {
	attempts := attempts
	if point.Again != (Blow{}) && len(f.options.Points) == 0 {
		attempts = attemptsAtPair
	}
	var wrong []*Recording
	defer func() { f.noteWrong(wrong) }()
	run, err := f.runOnce(ctx, point)
	for attempt := 1; err == nil; attempt++ {
		before, caused := f.blame(run)
		injected := len(run.Strikes) == len(point.blows())
		switch {
		case len(before) > 0:
			if wrong = append(wrong, run); len(wrong) == wrongAttempts {
				run.NotJudged = fmt.Sprintf("%d runs went wrong before the fault was injected", len(wrong))
				return newPointResult(point, attempt, false, run, nil), nil
			}
			run, err = f.runBeside(ctx, point)
			continue
		case len(f.baseline.withoutFlakes(caused)) > 0:
			return f.confirm(ctx, point, run, attempt)
		case injected, run.NotJudged != "", attempt == attempts:
			return newPointResult(point, attempt, injected, run, nil), nil
		}
		run, err = f.runOnce(ctx, point)
	}
	return PointResult{}, err
}

// noteWrong notes what went wrong in some runs before their fault, as far as it still counts as wrong.
func (f *field) noteWrong(runs []*Recording) {
	for _, run := range runs {
		before, _ := f.blame(run)
		f.baseline.addBefore(run, before)
	}
}

// runOnce goes through the scenario with the faults of a point.
func (f *field) runOnce(ctx context.Context, point Point) (*Recording, error) {
	return f.run(ctx, f.namespace(), plan{
		script: f.expressions.scenario, blows: point.blows(), replicas: 1, expected: f.baseline.current(),
	})
}

// runSilence goes as far as a step and then does nothing.
func (f *field) runSilence(ctx context.Context, point Point) (PointResult, error) {
	run, err := f.run(ctx, f.namespace(), plan{
		script: f.expressions.scenario, replicas: 1, listenAfter: point.Step, expected: f.baseline.current(),
	})
	if err != nil {
		return PointResult{}, err
	}
	found := f.judge(f.baseline.current(), run)
	return newPointResult(point, 1, run.Failure == nil, run, found), nil
}

// runCase goes through a case.
func (f *field) runCase(ctx context.Context, point Point) (PointResult, error) {
	c := f.definition.Cases[slices.IndexFunc(f.definition.Cases, func(c Case) bool { return c.Name == point.Case })]
	compiled := f.expressions.cases[c.Name]
	run, err := f.run(ctx, f.namespace(), plan{script: compiled.script, replicas: c.Replicas, electing: c.LeaderElection, inCase: true})
	if err != nil {
		return PointResult{}, err
	}
	if apierrors.IsInvalid(run.Broken) || apierrors.IsBadRequest(run.Broken) {
		return PointResult{}, run.Broken // whatever the operator has made of the steps before
	}
	if c.HandOver != nil {
		if err := f.measureHandOver(c, compiled, run); err != nil {
			return PointResult{}, err
		}
	}
	run.Measures = f.measure(run)
	findings := append(f.judge(nil, run), f.expect(compiled, run)...)
	result := newPointResult(point, 1, true, run, findings)
	result.expect(c.Finds)
	return result, nil
}

// measureHandOver reads off a run how its leader was succeeded.
func (f *field) measureHandOver(c Case, compiled compiledCase, run *Recording) error {
	step, ok := run.step(c.HandOver.After)
	if !ok {
		return nil // it was not reached
	}
	run.HandOver = newHandOver(step.Began, step.Leader, run.Exchanges, run.Updates)
	scope := f.expressions.scope(view{})
	var err error
	if run.HandOver.From, err = scope.number(compiled.handOverFrom); err != nil {
		return fmt.Errorf("handOver.from: %w", err)
	}
	if run.HandOver.To, err = scope.number(compiled.handOverTo); err != nil {
		return fmt.Errorf("handOver.to: %w", err)
	}
	return nil
}

// runPairs runs as many pairs as the plan asks for. One that is not reached again, since the operator recovered in another way,
// makes room for the next.
func (f *field) runPairs(ctx context.Context, all []Point) ([]PointResult, error) {
	wanted := f.definition.Pairs / max(1, f.options.Shards)
	var reached []PointResult
	for len(reached) < wanted && len(all) > 0 {
		n := min(wanted-len(reached), len(all))
		results, err := f.runAll(ctx, all[:n])
		for _, result := range results {
			if result.Verdict != NotReached {
				reached = append(reached, result)
			}
		}
		if err != nil {
			return reached, err
		}
		all = all[n:]
	}
	return reached, nil
}

// shufflePairs has, in an order that the seed decides, all writes that restarted operators were seen to make, at which they
// are killed once more.
func (f *field) shufflePairs(results []PointResult) []Point {
	if f.definition.Pairs == 0 || len(f.options.Points) > 0 {
		return nil
	}
	var all []Point
	for _, result := range results {
		for _, place := range result.recovery {
			for _, fault := range f.definition.Faults {
				if fault.kills() && result.Point.Fault.kills() {
					all = append(all, Point{Blow: result.Point.Blow, Again: Blow{place, fault}})
				}
			}
		}
	}
	order := rand.New(rand.NewPCG(f.options.Seed, 0))
	order.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// recoveryOf are the places of the writes of a restarted operator in the step in which its predecessor died, but for those
// that only report.
func recoveryOf(run *Recording) []proxy.Place {
	strike := run.lastStrike()
	if strike == nil {
		return nil
	}
	return slices.DeleteFunc(writes(run), func(place proxy.Place) bool {
		return place.Step != strike.Step+again || place.Kind == recordsEvent
	})
}
