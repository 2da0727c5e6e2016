package drill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/twinloop/chaos/proxy"
)

// undisturbedRuns is how often the scenario is gone through without a fault. An operator does not write the same number of
// times in every run, and where one undisturbed run ends elsewhere than another no fault can be blamed for it.
const undisturbedRuns = 3

// reference is what the runs without a fault have shown.
type reference struct {
	// Recording is the first of them; the others came to the same places.
	*Recording
	// steady are the writes that each of them made, occasional those that only some did.
	steady, occasional []proxy.Place
	// survivors are, by step, how many objects outlived it in each of them.
	survivors map[string]survivors
	// unmatched are the paths to ignore that led nowhere in any of them.
	unmatched []string
}

// refer runs the scenario without a fault, or, of a plan of cases only, what all of them begin with. Whatever is wrong with it
// would be wrong with every point. Where only certain points are asked for, it is done when it has come by them all.
func (a *arena) refer(ctx context.Context, o Options) (*reference, error) {
	switch {
	case len(a.expressions.scenario) == 0:
		begun := a.expressions.cases[a.definition.Cases[0].Name].script[:len(a.definition.Setup)]
		run, err := a.undisturbed(ctx, 1, plan{script: begun, replicas: 1})
		if err != nil {
			return nil, err
		}
		run.Cut = true
		return &reference{Recording: run}, nil
	case len(o.Points) > 0:
		return a.referTo(ctx, o.Points)
	}
	runs := make([]*Recording, undisturbedRuns)
	err := atOnce(ctx, a.lanes(o), len(runs), func(ctx context.Context, i int) (err error) {
		runs[i], err = a.undisturbed(ctx, i+1, a.wholeScenario())
		return err
	})
	if err != nil {
		return nil, err
	}
	return newReference(runs, a.definition.Ignore)
}

// referTo runs the scenario without a fault until it has come by the points.
func (a *arena) referTo(ctx context.Context, points []Point) (*reference, error) {
	var runs []*Recording
	for {
		run, err := a.undisturbed(ctx, len(runs)+1, a.wholeScenario())
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		r, err := newReference(runs, a.definition.Ignore)
		if err != nil || len(runs) == undisturbedRuns || r.cameBy(points) {
			return r, err
		}
	}
}

func (a *arena) wholeScenario() plan { return plan{script: a.expressions.scenario, replicas: 1} }

// undisturbed is one run without a fault, in which there is nothing to find.
func (a *arena) undisturbed(ctx context.Context, number int, p plan) (*Recording, error) {
	run, err := a.run(ctx, fmt.Sprintf("%s-reference-%d", a.name, number), p)
	if err != nil {
		return nil, err
	}
	if run.Broken != nil {
		return nil, run.Broken
	}
	if err := checkReached(run); err != nil {
		return nil, err
	}
	if err := a.definition.checkObserved(run); err != nil {
		return nil, err
	}
	for _, finding := range a.judge(nil, run) {
		return nil, fmt.Errorf("the reference run, without any fault, fails (%s): %s",
			finding.Oracle, finding.withWords(lastWords(run.Log)))
	}
	return run, nil
}

// newReference is what some runs without a fault have in common.
func newReference(runs []*Recording, ignore []Ignored) (*reference, error) {
	r := &reference{Recording: runs[0], survivors: map[string]survivors{}, unmatched: unmatched(ignore, runs)}
	made := make([][]proxy.Place, len(runs))
	for i, run := range runs {
		if difference := differentPlace(runs[0], run); difference != "" {
			wrong := "name under ignore what may differ, or await more; "
			if len(r.unmatched) > 0 {
				wrong += "ignored are fields that there are not: " + strings.Join(r.unmatched, ", ") + "; "
			}
			return nil, errors.New("two reference runs, without any fault, come to different places: " + wrong + difference)
		}
		made[i] = writes(run)
	}
	r.steady, r.occasional = common(made)
	for i, step := range runs[0].Steps {
		var all []survivors
		for _, run := range runs {
			all = append(all, run.Steps[i].survivors)
		}
		r.survivors[step.Name] = atLeast(all)
	}
	return r, nil
}

// common parts the elements of several lists into those that all have, in the order of the first, and the others.
func common[T comparable](lists [][]T) (all, some []T) {
	counts := map[T]int{}
	for _, list := range lists {
		for _, element := range list {
			counts[element]++
		}
	}
	for _, list := range lists {
		for _, element := range list {
			switch {
			case counts[element] == len(lists):
				all = append(all, element)
			case counts[element] > 0:
				some = append(some, element)
			}
			delete(counts, element)
		}
	}
	return all, some
}

// cameBy reports whether the write of each of the points, of a pair of the first kill, was seen.
func (r *reference) cameBy(points []Point) bool {
	return !slices.ContainsFunc(points, func(p Point) bool {
		return len(p.blows()) > 0 && !slices.Contains(r.steady, p.Place) && !slices.Contains(r.occasional, p.Place)
	})
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
