package drill

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Ignored are fields of objects that may differ between two runs that came to the same state. They are written as a path, in
// the way of the downward API (https://kubernetes.io/docs/concepts/workloads/pods/downward-api) with JSONPath's [*] and [?()],
// as kubectl has them (https://kubernetes.io/docs/reference/kubectl/jsonpath):
//   - status.attempts is a field;
//   - metadata.annotations['web.example.com/attempts'] is one whose name has other characters than letters, digits, - and _;
//   - status.conditions[*].message is a field of every element of a list;
//   - status.conditions[?(@.type=="Ready")].message is a field of those elements only whose type is Ready, and
//     status.conditions[?(@.type=="Ready")] is all of these elements;
//   - configmaps: data is a field of one resource's objects only;
//   - configmaps/settings: data is a field of the object of this name only. A * in it stands for any characters, as in
//     pods/web-*, of a name that the API server generates.
type Ignored struct {
	// Resource is one of those observed, as plural or plural.group, or records; empty for all of them.
	Resource string
	// Name is that of one object of the resource; empty for all of them.
	Name string
	// Path are its segments, each within the one before.
	Path []Segment
}

// Segment is a part of a path. It is one of
//   - a field, by its name;
//   - every element of a list;
//   - the elements of a list whose field is equal to a value.
type Segment struct {
	Field    string
	Elements bool
	Equals   string // what Field has, where Elements is set and Field too
}

// everyElement are all elements of a list.
var everyElement = Segment{Elements: true}

// fieldNamed returns a segment that names a field.
func fieldNamed(name string) Segment { return Segment{Field: name} }

// elementsWith returns the elements of a list whose field has a value.
func elementsWith(name, value string) Segment { return Segment{name, true, value} }

var (
	ofResource   = regexp.MustCompile(`^([a-z0-9.-]+)(?:/(\S+?))?: +`)
	firstField   = regexp.MustCompile(`^([\w-]+)`)
	nextField    = regexp.MustCompile(`^(?:\.([\w-]+)|\['([^']+)'\])`)
	listElements = regexp.MustCompile(`^\[(?:\*|\?\(@\.([\w-]+) ?== ?(?:"([^"]+)"|'([^']+)')\))\]`)
)

// UnmarshalText reads a path, with a resource or without.
func (i *Ignored) UnmarshalText(text []byte) error {
	rest := string(text)
	if of := ofResource.FindStringSubmatch(rest); of != nil {
		i.Resource, i.Name, rest = of[1], of[2], rest[len(of[0]):]
	}
	if _, err := path.Match(i.Name, ""); err != nil {
		return fmt.Errorf("%q is no name of an object: write one such as settings or, for any characters, *", i.Name)
	}
	for whole := rest; rest != "" || len(i.Path) == 0; {
		segment, length := nextSegment(rest, len(i.Path) == 0)
		if length == 0 {
			return fmt.Errorf("%q is no path from %q on: write one such as status.attempts, metadata.annotations['example.com/attempts'], "+
				`status.conditions[*].message or status.conditions[?(@.type=="Ready")].message`, whole, rest)
		}
		i.Path, rest = append(i.Path, segment), rest[length:]
	}
	if i.Path[len(i.Path)-1] == everyElement {
		return errors.New("leave out the [*] at the end, to ignore the list as a whole")
	}
	return nil
}

// nextSegment reads a segment, and returns how many characters it is long; 0 if there is none.
func nextSegment(text string, first bool) (Segment, int) {
	named := nextField
	if first {
		named = firstField
	}
	if found := named.FindStringSubmatch(text); found != nil {
		return fieldNamed(strings.Join(found[1:], "")), len(found[0]) // at most one of the groups has matched
	}
	if found := listElements.FindStringSubmatch(text); found != nil && !first {
		return elementsWith(found[1], found[2]+found[3]), len(found[0])
	}
	return Segment{}, 0
}

// MarshalText writes what UnmarshalText reads.
func (i Ignored) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

func (i Ignored) String() string {
	text := pathText(i.Path)
	switch {
	case i.Name != "":
		return i.Resource + "/" + i.Name + ": " + text
	case i.Resource != "":
		return i.Resource + ": " + text
	}
	return text
}

func (i Ignored) equal(other Ignored) bool {
	return i.Resource == other.Resource && i.Name == other.Name && slices.Equal(i.Path, other.Path)
}

func pathText(segments []Segment) string {
	var text strings.Builder
	for _, s := range segments {
		text.WriteString(s.String())
	}
	return strings.TrimPrefix(text.String(), ".")
}

func (s Segment) String() string {
	switch {
	case s == everyElement:
		return "[*]"
	case s.Elements && strings.Contains(s.Equals, `"`):
		return "[?(@." + s.Field + "=='" + s.Equals + "')]"
	case s.Elements:
		return "[?(@." + s.Field + `=="` + s.Equals + `")]`
	case firstField.FindString(s.Field) != s.Field:
		return "['" + s.Field + "']"
	}
	return "." + s.Field
}

// covers reports whether a segment stands for an element of a list.
func (s Segment) covers(element any) bool {
	if s == everyElement {
		return true
	}
	of, ok := element.(map[string]any)
	return s.Elements && ok && of[s.Field] == s.Equals
}

// recordsResource is what the entries of the zone are called.
const recordsResource = "records"

// validate reports a resource that is not watched, of which nothing could differ.
func (i Ignored) validate(observed []string) error {
	known := func(name string) bool { return name == i.Resource || plural(name) == i.Resource }
	if i.Resource != "" && i.Resource != recordsResource && !slices.ContainsFunc(observed, known) {
		return fmt.Errorf("%q must be one of those under observe", i.Resource)
	}
	return nil
}

// isAbout reports whether an object, by its resource's plural and its name, is one of those whose fields are ignored.
func (i Ignored) isAbout(resource, name string) bool {
	if i.Resource != "" && plural(i.Resource) != resource {
		return false
	}
	matches, _ := path.Match(i.Name, name)
	return i.Name == "" || matches
}

// withoutIgnored returns an object without the fields to ignore, and whether it may be another one now.
func withoutIgnored(resource, name string, object any, ignore []Ignored) (any, bool) {
	copied := false
	for _, i := range ignore {
		if !i.isAbout(resource, name) {
			continue
		}
		if !copied {
			object, copied = runtime.DeepCopyJSONValue(object), true
		}
		object = removeField(object, i.Path)
	}
	return object, copied
}

// removeField removes what is at the end of a path, wherever that leads, from a value of which nobody else has a part.
func removeField(value any, path []Segment) any {
	next, last := path[0], len(path) == 1
	switch value := value.(type) {
	case map[string]any:
		child, found := value[next.Field]
		switch {
		case next.Elements || !found:
		case last:
			delete(value, next.Field)
		default:
			value[next.Field] = removeField(child, path[1:])
		}
	case []any:
		if last {
			return slices.DeleteFunc(value, next.covers)
		}
		for at, element := range value {
			if next.covers(element) {
				value[at] = removeField(element, path[1:])
			}
		}
	}
	return value
}

// unmatched returns those that lead to no field of any object that there ever was in some runs: they may be misspelt.
func unmatched(ignore []Ignored, runs []*Recording) []string {
	var all []string
	for _, i := range ignore {
		if i.Resource == recordsResource {
			continue // no event tells of them
		}
		if !slices.ContainsFunc(runs, func(run *Recording) bool { return slices.ContainsFunc(run.Events, i.matches) }) {
			all = append(all, i.String())
		}
	}
	return all
}

// matches reports whether the object of an event has the field.
func (i Ignored) matches(e Event) bool {
	return i.isAbout(e.Resource, e.Object.GetName()) && hasField(e.Object.Object, i.Path)
}

// hasField reports whether a path leads to a field.
func hasField(value any, path []Segment) bool {
	leads := func(child any) bool { return len(path) == 1 || hasField(child, path[1:]) }
	switch value := value.(type) {
	case map[string]any:
		child, found := value[path[0].Field]
		return found && !path[0].Elements && leads(child)
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return path[0].covers(element) && leads(element) })
	}
	return false
}
