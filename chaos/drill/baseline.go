package drill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// faultFreeRuns is how often the scenario is gone through without a fault. An operator does not write the same number of
	// times in every run, and not every operator comes to the same state in each.
	faultFreeRuns = 3
	// mostFaultFreeRuns is how often it is tried until two of them agree.
	mostFaultFreeRuns = 6
)

// baseline is what the runs without a fault have shown so far. Others join them while findings are confirmed.
type baseline struct {
	ignore []Ignored

	mu        sync.Mutex
	total     int          // fault-free runs
	runs      []*Recording // those with nothing to object to
	broken    error        // why the scenario itself failed in the newest in which it did, or nil
	reference *reference   // nil as long as there are none
	failures  []Flake
}

// Flake is something that an operator did wrong without a fault.
type Flake struct {
	Finding
	// Runs is in how many of the Of fault-free runs it did. Before is in how many more runs it did before their fault was
	// injected.
	Runs   int `json:"runs"`
	Of     int `json:"of"`
	Before int `json:"before,omitempty"`
	// Log is the end of what the operator printed.
	Log string `json:"log,omitempty"`
}

// current returns what is known now; it does not change any more.
func (b *baseline) current() *reference {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reference
}

// add counts a fault-free run, and what was found in it.
func (b *baseline) add(run *Recording, found []Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total++
	if run.Broken != nil {
		b.broken = run.Broken
	}
	if len(found) > 0 {
		for _, finding := range found {
			b.flakeLocked(finding, run).Runs++
		}
		return
	}
	b.runs = append(b.runs, run)
	b.reference = newReference(b.runs, b.ignore)
}

// addBefore counts what was found in a run before its fault was injected.
func (b *baseline) addBefore(run *Recording, found []Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, finding := range found {
		b.flakeLocked(finding, run).Before++
	}
}

func (b *baseline) flakeLocked(finding Finding, run *Recording) *Flake {
	for i := range b.failures {
		if b.failures[i].key() == finding.key() {
			return &b.failures[i]
		}
	}
	b.failures = append(b.failures, Flake{Finding: finding, Log: tail(run.Log, logLines)})
	return &b.failures[len(b.failures)-1]
}

// flakes returns all that the operator did wrong without a fault: failures, and final states that most runs did not come to.
func (b *baseline) flakes() []Flake {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.failures)
	if b.reference != nil {
		for _, run := range b.reference.others {
			finding := b.reference.finalState(run)
			i := slices.IndexFunc(all, func(f Flake) bool { return f.key() == finding.key() })
			if i < 0 {
				i, all = len(all), append(all, Flake{Finding: finding, Log: tail(run.Log, logLines)})
			}
			all[i].Runs++
		}
	}
	for i := range all {
		all[i].Of = b.total
	}
	return all
}

// withoutFlakes returns the findings that were not made without a fault too.
func (b *baseline) withoutFlakes(found []Finding) []Finding {
	flakes := b.flakes()
	return slices.DeleteFunc(slices.Clone(found), func(finding Finding) bool {
		return slices.ContainsFunc(flakes, func(f Flake) bool { return f.key() == finding.key() })
	})
}

// recordBaseline runs the scenario without a fault, or, of a plan of cases only, what all of them begin with, until most runs
// agree. Whatever is wrong with all of them would be wrong with every point. Where only certain points are asked for, it ends
// when the operator has reached them all.
func (a *arena) recordBaseline(ctx context.Context, o Options) (*baseline, error) {
	b := &baseline{ignore: a.definition.Ignore}
	wholePlan, agreeing, batch := a.faultFreePlan(), 2, faultFreeRuns
	switch {
	case len(a.expressions.scenario) == 0:
		agreeing, batch = 1, 1 // nothing is compared with the setup alone
	case len(o.Points) > 0:
		batch = 2
	}
	for {
		if err := a.runFaultFree(ctx, o, b, wholePlan, batch); err != nil {
			return nil, err
		}
		switch reference := b.current(); {
		case reference != nil && len(reference.agreeing) >= agreeing && b.enough(o.Points):
			return b, nil
		case reference == nil && b.broken != nil && b.total == batch:
			return nil, b.broken
		case reference == nil && b.total >= faultFreeRuns, b.total >= mostFaultFreeRuns:
			return nil, b.failure()
		case reference == nil:
			batch = faultFreeRuns - b.total
		default:
			batch = 1
		}
	}
}

// enough reports whether there have been as many fault-free runs as a drill wants: fewer where certain points are asked for, and
// the operator has reached them, or nothing is compared with them.
func (b *baseline) enough(points []Point) bool {
	return b.total >= faultFreeRuns || b.reference.reached(points)
}

// faultFreePlan is a run through the scenario, or through the setup of the cases, without a fault.
func (a *arena) faultFreePlan() plan {
	script := a.expressions.scenario
	if len(script) == 0 {
		script = a.expressions.cases[a.definition.Cases[0].Name].script[:len(a.definition.Setup)]
	}
	return plan{script: script, replicas: 1, longRest: true}
}

// runFaultFree adds so many fault-free runs, several at once.
func (a *arena) runFaultFree(ctx context.Context, o Options, b *baseline, p plan, count int) error {
	first := b.total + 1
	return atOnce(ctx, a.lanes(o), count, func(ctx context.Context, i int) error {
		return a.faultFree(ctx, fmt.Sprintf("%s-reference-%d", a.name, first+i), b, p)
	})
}

// faultFree adds one fault-free run. The error is that the drill itself is wrong.
func (a *arena) faultFree(ctx context.Context, namespace string, b *baseline, p plan) error {
	run, err := a.run(ctx, namespace, p)
	if err != nil {
		return err
	}
	if err := checkReached(run); err != nil {
		return err
	}
	if err := a.definition.checkObserved(run); err != nil {
		return err
	}
	run.Cut = run.Cut || len(a.expressions.scenario) == 0
	found := a.judge(nil, run)
	if run.NotJudged != "" {
		found = append(found, Finding{Oracle: Converges, Text: run.NotJudged})
	}
	b.add(run, found)
	return nil
}

// failure says why there is nothing to compare with.
func (b *baseline) failure() error {
	flakes := b.flakes()
	if b.reference == nil {
		first := flakes[0]
		return fmt.Errorf("the reference run, without any fault, fails (%s, in %d of %d runs): %s",
			first.Oracle, first.Runs, first.Of, first.withWords(lastWords(first.Log)))
	}
	if len(b.reference.others) == 0 {
		first := flakes[0]
		return fmt.Errorf("only one of %d runs without any fault passes; in %d: %s: %s", b.total, first.Runs, first.Oracle, first.Text)
	}
	return errors.New("no two runs without any fault come to the same final state: await what the operator comes to, or name under " +
		"ignore what may differ" + b.reference.misspelt() + "; " + b.reference.finalState(b.reference.others[0]).Text)
}

// atOnce does something for each of the numbers below count, several at once, until one fails.
func atOnce(ctx context.Context, lanes, count int, do func(ctx context.Context, i int) error) error {
	all, running := errgroup.WithContext(ctx)
	all.SetLimit(lanes)
	for i := range count {
		all.Go(func() error {
			if running.Err() != nil {
				return context.Cause(running)
			}
			return do(running, i)
		})
	}
	return all.Wait()
}
