package drill

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// snapshot is what a namespace and its zone hold, with everything taken out that differs between two runs that came to
// the same: uids, versions, times, generated names, addresses. It is in the order of its lines.
type snapshot []entry

// entry is an object, or a record of the zone, as it is called and as it is in every run.
type entry struct {
	resource, name string
	value          any
	line           string // both as text, by which entries are compared
}

func newEntry(resource, name string, value any) entry {
	value = canonical(value)
	return entry{resource, name, value, resource + " " + marshal(value)}
}

func (e entry) String() string { return e.resource + "/" + e.name }

// takeSnapshot normalizes what expressions see, by all that was seen of the run so far.
func takeSnapshot(namespace string, v view, events []Event) snapshot {
	d := newDrawn(namespace, v.kinds)
	for _, e := range events {
		d.learn(e)
	}
	return d.snapshot(v)
}

// snapshot normalizes what there is.
func (d *drawn) snapshot(v view) snapshot {
	for plural, objects := range v.objects {
		for _, object := range objects {
			d.learn(Event{Resource: plural, Object: &unstructured.Unstructured{Object: object.(map[string]any)}})
		}
	}
	n := normalizer{tokens: d.tokens(v), texts: map[string]string{}}
	var s snapshot
	for plural, objects := range v.objects {
		for _, object := range objects {
			object := object.(map[string]any)
			_, name, _ := strings.Cut(n.replace(identity(plural, object)), "/")
			s = append(s, newEntry(plural, name, n.object(plural, object)))
		}
	}
	for _, record := range v.records {
		name, _ := record.(map[string]any)["name"].(string)
		s = append(s, newEntry(recordsResource, n.replace(name), n.normalize(record)))
	}
	return s.sorted()
}

func (s snapshot) sorted() snapshot {
	slices.SortFunc(s, func(a, b entry) int { return strings.Compare(a.line, b.line) })
	return s
}

// without returns a snapshot without the fields to ignore.
func (s snapshot) without(ignore []Ignored) snapshot {
	if len(ignore) == 0 {
		return s
	}
	rest := slices.Clone(s)
	for i, e := range rest {
		if value, changed := withoutIgnored(e.resource, e.name, e.value, ignore); changed {
			rest[i] = newEntry(e.resource, e.name, value)
		}
	}
	return rest.sorted()
}

// equal reports whether two snapshots are of the same state.
func (s snapshot) equal(other snapshot) bool {
	return slices.EqualFunc(s, other, func(a, b entry) bool { return a.line == b.line })
}

// canonical returns a value without empty fields, with its lists in one order. An empty field says what a missing one does: which
// of them there is depends on who wrote the object last. Most lists of the API are sets or maps by a key, whose order tells only
// how they came about.
func canonical(value any) any {
	switch value := value.(type) {
	case map[string]any:
		full := make(map[string]any, len(value))
		for key, child := range value {
			if child := canonical(child); !isEmpty(child) {
				full[key] = child
			}
		}
		return full
	case []any:
		byText := make(map[string]any, len(value))
		texts := make([]string, len(value))
		for i, element := range value {
			element = canonical(element)
			texts[i] = marshal(element)
			byText[texts[i]] = element
		}
		slices.Sort(texts)
		ordered := make([]any, len(value))
		for i, text := range texts {
			ordered[i] = byText[text]
		}
		return ordered
	}
	return value
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// marshal leaves what stands for something, such as <time>, as it is.
func marshal(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // it was read from JSON
	}
	return strings.TrimSuffix(text.String(), "\n")
}
