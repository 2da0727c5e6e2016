package drill

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// survivors are how many objects of each resource are there before a step and, the same by uid, after it.
type survivors map[string]int

func survivorsOf(before, after view) survivors {
	counts := survivors{}
	for plural, objects := range after.objects {
		there := map[any]bool{}
		for _, object := range before.objects[plural] {
			there[metadataOf(object)["uid"]] = true
		}
		counts[plural] = 0
		for _, object := range objects {
			if there[metadataOf(object)["uid"]] {
				counts[plural]++
			}
		}
	}
	return counts
}

// atLeast returns what each of several counts has of every resource.
func atLeast(all []survivors) survivors {
	least := maps.Clone(all[0])
	for _, counts := range all[1:] {
		for plural, n := range counts {
			least[plural] = min(least[plural], n)
		}
	}
	return least
}

// casualties returns the objects that a step cost which was struck by a fault, and that outlive it in every fault-free run: whoever
// deletes and creates anew what it finds comes to the same state too.
func (r *reference) casualties(run *Recording) []Finding {
	var found []Finding
	struck := map[string]bool{}
	for _, strike := range run.Strikes {
		struck[strings.TrimSuffix(strike.Step, again)] = true // both kills of a pair are in one step
	}
	for _, name := range slices.Sorted(maps.Keys(struck)) {
		step, ok := run.step(name)
		if !ok {
			continue
		}
		usual := r.survivors[name]
		for _, plural := range slices.Sorted(maps.Keys(usual)) {
			if n := step.survivors[plural]; n < usual[plural] {
				found = append(found, Finding{Oracle: Safe, step: name, lost: true, Text: fmt.Sprintf(
					"%s: of the %s there before it, %d outlive it, and %d without a fault", name, plural, n, usual[plural])})
			}
		}
	}
	return found
}
