package drill

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// difference is what a snapshot lacks and has in excess of a reference, and which objects are there and are others.
type difference struct {
	missing, excess snapshot
	changed         []changedObject
}

// changedObject is an object as a reference has it, and as it was found.
type changedObject struct{ expected, found entry }

// difference compares a snapshot with a reference. Of several objects of one name, such as pods of a generated one, those are
// compared that are most alike.
func (s snapshot) difference(reference snapshot) difference {
	missing, excess := subtract(reference, s), subtract(s, reference)
	var d difference
	for _, expected := range missing {
		i := mostAlike(expected, excess)
		if i < 0 {
			d.missing = append(d.missing, expected)
			continue
		}
		d.changed = append(d.changed, changedObject{expected, excess[i]})
		excess = slices.Delete(excess, i, i+1)
	}
	d.excess = excess
	return d
}

// mostAlike returns the place of the object of the same name in which the fewest fields differ, or -1.
func mostAlike(of entry, among snapshot) int {
	best, fewest := -1, 0
	for i, other := range among {
		if other.String() != of.String() {
			continue
		}
		if n := len(changedObject{of, other}.fields()); best < 0 || n < fewest {
			best, fewest = i, n
		}
	}
	return best
}

// subtract returns what a has more of than b, each as often as it has it more.
func subtract(a, b snapshot) snapshot {
	counts := map[string]int{}
	for _, e := range b {
		counts[e.line]++
	}
	var more snapshot
	for _, e := range a {
		if counts[e.line]--; counts[e.line] < 0 {
			more = append(more, e)
		}
	}
	return more
}

func (d difference) empty() bool { return len(d.missing)+len(d.excess)+len(d.changed) == 0 }

// String shows what is missing (-) and in excess (+), and of other objects the fields in which they differ.
func (d difference) String() string {
	var text strings.Builder
	d.missing.list(&text, "-")
	d.excess.list(&text, "+")
	for _, c := range d.changed {
		fmt.Fprintf(&text, "%s:\n%s", c.expected, cmp.Diff(c.expected.value, c.found.value))
	}
	return text.String()
}

// list writes each object, those once that are alike but for a name, a number or the like.
func (s snapshot) list(text *strings.Builder, sign string) {
	alike := map[string]int{}
	for _, e := range s {
		alike[withoutParticulars(e.line)]++
	}
	for _, e := range s {
		like := withoutParticulars(e.line)
		switch n := alike[like]; {
		case n == 1:
			fmt.Fprintf(text, "%s %s\n", sign, e.line)
		case n > 1:
			fmt.Fprintf(text, "%s %s, and %d more like it\n", sign, e.line, n-1)
		}
		delete(alike, like)
	}
}

// summary returns what two differences of one cause have in common: the resources of which objects are missing or in excess, and the
// fields that differ.
func (d difference) summary() string {
	lines := map[string]bool{}
	for _, e := range d.missing {
		lines["missing "+e.resource] = true
	}
	for _, e := range d.excess {
		lines["in excess "+e.resource] = true
	}
	for _, field := range d.fields() {
		field.Name = ""
		lines["different "+field.String()] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "\n")
}

// fields returns those in which objects differ, each by its resource and by the object's name.
func (d difference) fields() []Ignored {
	var all []Ignored
	for _, c := range d.changed {
		for _, path := range c.fields() {
			if len(path) > 0 {
				all = append(all, Ignored{c.expected.resource, c.expected.name, path})
			}
		}
	}
	return all
}

// fields returns the paths at which two objects differ.
func (c changedObject) fields() [][]Segment {
	return differingPaths(nil, c.expected.value, c.found.value)
}

// differingPaths returns the paths, from one on, at which two values differ: as deep as both have what leads there.
func differingPaths(path []Segment, a, b any) [][]Segment {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return differingFields(path, a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return differingElements(path, a, b)
		}
	}
	if cmp.Equal(a, b) {
		return nil
	}
	return [][]Segment{path}
}

func differingFields(path []Segment, a, b map[string]any) [][]Segment {
	if len(path) > 0 && othersKeys(a, b) {
		return [][]Segment{path}
	}
	var paths [][]Segment
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		below := path
		if !strings.Contains(key, "'") { // no path can name it
			below = append(slices.Clip(path), fieldNamed(key))
		}
		_, inA := a[key]
		_, inB := b[key]
		if inA && inB {
			paths = append(paths, differingPaths(below, a[key], b[key])...)
		} else {
			paths = append(paths, below)
		}
	}
	return paths
}

// othersKeys reports whether two maps from texts to texts have each a key that the other has not: they have no stable keys.
func othersKeys(a, b map[string]any) bool {
	more := func(a, b map[string]any) bool {
		found := false
		for key, value := range a {
			if _, text := value.(string); !text {
				return false
			}
			_, common := b[key]
			found = found || !common
		}
		return found
	}
	return more(a, b) && more(b, a)
}

func differingElements(path []Segment, a, b []any) [][]Segment {
	if byType, ok := pairedByType(a, b); ok {
		var paths [][]Segment
		for _, name := range slices.Sorted(maps.Keys(byType)) {
			pair := byType[name]
			paths = append(paths, differingPaths(append(slices.Clip(path), elementsWith("type", name)), pair[0], pair[1])...)
		}
		return paths
	}
	if len(a) != len(b) {
		return [][]Segment{path}
	}
	var paths [][]Segment
	for i := range a {
		for _, below := range differingPaths(append(slices.Clip(path), everyElement), a[i], b[i]) {
			if len(below) == len(path)+1 {
				return [][]Segment{path} // an element as a whole
			}
			paths = append(paths, below)
		}
	}
	return unique(paths)
}

// pairedByType returns the elements of two lists by their type, as conditions have it; nil where one list has none.
func pairedByType(a, b []any) (map[string][2]any, bool) {
	pairs := map[string][2]any{}
	for side, list := range [2][]any{a, b} {
		for _, element := range list {
			of, _ := element.(map[string]any)
			name, _ := of["type"].(string)
			pair := pairs[name]
			if name == "" || strings.Contains(name, `"`) || pair[side] != nil {
				return nil, false
			}
			pair[side] = element
			pairs[name] = pair
		}
	}
	return pairs, true
}

// unique returns some paths, each once.
func unique(paths [][]Segment) [][]Segment {
	var all [][]Segment
	for _, path := range paths {
		if !slices.ContainsFunc(all, func(other []Segment) bool { return slices.Equal(other, path) }) {
			all = append(all, path)
		}
	}
	return all
}
