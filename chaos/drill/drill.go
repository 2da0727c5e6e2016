package drill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"time"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/controlplane"
)

// attempts is how often a point is run until it is reached. An operator does not write the same number of times in
// every run: two changes that come close together are sometimes one write.
const attempts = 20

// Options say how a drill is run.
type Options struct {
	Definition   *Definition
	Subject      Subject
	ControlPlane *controlplane.ControlPlane
	// Lanes is how many runs there are at once.
	Lanes int
	// Points are the only points to run; all of the reference run when there are none.
	Points []Point
	// Shard i of n runs every n-th point from the i-th on; 0 of 0 runs all.
	Shard, Shards int
	// Progress is called when a run has ended, from one goroutine at a time; nil for nobody.
	Progress func(done, total, failed int)
}

// Run injects the drill's faults at every point, each in a run of its own, and reports what came of each. The error is that
// the drill could not be held: the reference run itself failed, there was no point to inject at, or ctx ended.
func Run(ctx context.Context, options Options) (*Report, error) {
	began := time.Now()
	a, err := newArena(ctx, options.Definition, options.Subject, options.ControlPlane)
	if err != nil {
		return nil, err
	}
	defer a.close()
	reference, err := a.reference(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := options.choose(points(writes(reference), a.definition.Faults, updateKind(a.definition.Zone)))
	if err != nil {
		return nil, err
	}
	results, err := a.runAll(ctx, reference, chosen, options)
	if err != nil {
		return nil, err
	}
	return newReport(a, reference, results, time.Since(began)), nil
}

// reference runs the scenario without a fault. Whatever is wrong with it would be wrong with every point.
func (a *arena) reference(ctx context.Context) (*Recording, error) {
	reference, err := a.run(ctx, a.name+"-reference", nil)
	if err != nil {
		return nil, err
	}
	for _, finding := range a.judge(reference, reference) {
		return nil, fmt.Errorf("the reference run, without any fault, fails (%s): %s\n%s",
			finding.Oracle, finding.Text, lastWords(reference.Log))
	}
	return reference, nil
}

// lastWords are the end of what the operator printed, without what client-go prints at every start.
func lastWords(log string) string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool {
		return line == "" || strings.Contains(line, "Feature gate default state")
	})
	if len(lines) == 0 {
		return "The operator printed nothing."
	}
	return "The operator's last words:\n" + tail(strings.Join(lines, "\n"), 10)
}

// writes are the places of all writes of a run, to the API server and to DNS, in the order of their arrival.
func writes(run *Recording) []proxy.Place {
	type write struct {
		place   proxy.Place
		arrived time.Time
	}
	var all []write
	for _, exchange := range run.Exchanges {
		if exchange.IsWrite() && !isLease(exchange.Request) {
			all = append(all, write{exchange.Place, exchange.Arrived})
		}
	}
	for _, update := range run.Updates {
		all = append(all, write{update.Place, update.Arrived})
	}
	slices.SortStableFunc(all, func(a, b write) int { return a.arrived.Compare(b.arrived) })
	var places []proxy.Place
	for _, write := range all {
		places = append(places, write.place)
	}
	return places
}

// runAll runs the points, several at once, and returns their results in the order of the points.
func (a *arena) runAll(ctx context.Context, reference *Recording, all []Point, options Options) ([]PointResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]PointResult, len(all))
	queue := make(chan int)
	go func() {
		defer close(queue)
		for i := range all {
			select {
			case queue <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var lanes sync.WaitGroup
	var reporting sync.Mutex
	done, failed := 0, 0
	for range max(1, options.Lanes) {
		lanes.Go(func() {
			for i := range queue {
				result, err := a.runPoint(ctx, reference, all[i], i)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", all[i], err))
					return
				}
				results[i] = result
				reporting.Lock()
				done++
				if result.Verdict != Passed {
					failed++
				}
				if options.Progress != nil {
					options.Progress(done, len(all), failed)
				}
				reporting.Unlock()
			}
		})
	}
	lanes.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return results, nil
}

// runPoint runs one point until it is reached.
func (a *arena) runPoint(ctx context.Context, reference *Recording, point Point, number int) (PointResult, error) {
	for attempt := 1; ; attempt++ {
		namespace := fmt.Sprintf("%s-%d-%d", a.name, number+1, attempt)
		run, err := a.run(ctx, namespace, &point)
		if err != nil {
			return PointResult{}, err
		}
		if run.Strike != nil || run.Failure != nil || attempt == attempts {
			return newPointResult(point, attempt, run, a.judge(reference, run)), nil
		}
	}
}
