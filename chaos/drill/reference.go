package drill

import (
	"maps"
	"slices"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// reference is what most of the runs without a fault have in common.
type reference struct {
	// Recording is the first of them; the others came to the same final states.
	*Recording
	// agreeing are all of them, it included; others are those that came to other states.
	agreeing, others []*Recording
	// stable are the writes that each of them made, unstable those that only some did.
	stable, unstable []proxy.Place
	// survivors are, by step, how many objects outlived it in each of them.
	survivors map[string]survivors
	// ignore is what the definition ignores, ignored are the fields that differ between the agreeing runs besides.
	ignore, ignored []Ignored
	// unmatched are the paths to ignore that led nowhere in any of them.
	unmatched []string
}

// newReference returns what the largest group of runs without a fault have in common: those that come to the same objects
// after each step, in whatever fields they differ. Of two groups of a size it is the one that was there first.
func newReference(runs []*Recording, ignore []Ignored) *reference {
	var groups []*reference
	for _, run := range runs {
		i := slices.IndexFunc(groups, func(r *reference) bool { return r.takes(run) })
		if i < 0 {
			groups = append(groups, &reference{Recording: run, agreeing: []*Recording{run}, ignore: ignore})
		}
	}
	r := slices.MaxFunc(groups, func(a, b *reference) int { return len(a.agreeing) - len(b.agreeing) })
	for _, run := range runs {
		if !slices.Contains(r.agreeing, run) {
			r.others = append(r.others, run)
		}
	}
	r.unmatched = unmatched(ignore, runs)
	r.compare()
	return r
}

// takes reports whether a run came to the same objects, and takes it among those that did, with the fields that differ.
func (r *reference) takes(run *Recording) bool {
	var fields []Ignored
	for _, step := range r.Steps {
		other, ok := run.step(step.Name)
		if !ok {
			continue
		}
		differing, objects := unstable([]snapshot{step.snapshot.without(r.ignoring()), other.snapshot.without(r.ignoring())})
		if objects != "" {
			return false
		}
		fields = append(fields, differing...)
	}
	r.agreeing = append(r.agreeing, run)
	r.ignored = widest(append(r.ignored, fields...))
	return true
}

// widest returns each of some fields once, and of one object only where it is not ignored of all.
func widest(fields []Ignored) []Ignored {
	var all []Ignored
	for _, field := range fields {
		ofAll := field
		ofAll.Name = ""
		if !slices.ContainsFunc(all, field.equal) && (field.Name == "" || !slices.ContainsFunc(fields, ofAll.equal)) {
			all = append(all, field)
		}
	}
	return all
}

// ignoring returns the fields that are not compared.
func (r *reference) ignoring() []Ignored { return slices.Concat(r.ignore, r.ignored) }

// compare fills in what the agreeing runs have in common.
func (r *reference) compare() {
	made := make([][]proxy.Place, len(r.agreeing))
	for i, run := range r.agreeing {
		made[i] = writes(run)
	}
	r.stable, r.unstable = common(made)
	r.survivors = map[string]survivors{}
	for _, step := range r.Steps {
		var all []survivors
		for _, run := range r.agreeing {
			if other, ok := run.step(step.Name); ok {
				all = append(all, other.survivors)
			}
		}
		r.survivors[step.Name] = atLeast(all)
	}
}

// same reports whether a snapshot after a step is what there was in the runs without a fault.
func (r *reference) same(step string, s snapshot) bool {
	expected, ok := r.step(step)
	return !ok || s.without(r.ignoring()).equal(expected.snapshot.without(r.ignoring()))
}

// firstWatches returns the watches that each of the runs had open after its first step.
func (r *reference) firstWatches() map[proxy.Kind]bool {
	if r == nil || len(r.Steps) == 0 {
		return nil
	}
	watches := maps.Clone(r.Steps[0].watches)
	for _, run := range r.agreeing {
		maps.DeleteFunc(watches, func(kind proxy.Kind, _ bool) bool { return !run.Steps[0].watches[kind] })
	}
	return watches
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

// reached reports whether the write of each of the points, of a pair of the first kill, was seen.
func (r *reference) reached(points []Point) bool {
	return !slices.ContainsFunc(points, func(p Point) bool {
		return len(p.blows()) > 0 && !slices.Contains(r.stable, p.Place) && !slices.Contains(r.unstable, p.Place)
	})
}

// misspelt says which paths to ignore lead nowhere, for whoever is told of a difference.
func (r *reference) misspelt() string {
	if len(r.unmatched) == 0 {
		return ""
	}
	return "; under ignore are fields that no object has: " + strings.Join(r.unmatched, ", ")
}
