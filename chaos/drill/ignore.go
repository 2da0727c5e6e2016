package drill

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Ignored are fields of objects that may differ between two runs that came to the same place. They are written as a path, in
// the way of the downward API (https://kubernetes.io/docs/concepts/workloads/pods/downward-api) with JSONPath's [*]:
//   - status.attempts is a field;
//   - metadata.annotations['web.example.com/attempts'] is one whose name has other characters than letters, digits, - and _;
//   - status.conditions[*].message is a field of every element of a list;
//   - configmaps: data is a field of one resource's objects only.
type Ignored struct {
	// Resource is one of those observed, as plural or plural.group; empty for all of them.
	Resource string
	// Path are the names of fields, each within the one before; everyElement goes into a list.
	Path []string
}

// everyElement is what stands in a path for all elements of a list. No field has an empty name.
const everyElement = ""

var (
	ofResource = regexp.MustCompile(`^([a-z0-9.-]+): +`)
	firstField = regexp.MustCompile(`^([\w-]+)`)
	nextField  = regexp.MustCompile(`^(?:\.([\w-]+)|\['([^']+)'\]|\[\*\])`)
)

// UnmarshalText reads a path, with a resource or without.
func (i *Ignored) UnmarshalText(text []byte) error {
	rest := string(text)
	if resource := ofResource.FindStringSubmatch(rest); resource != nil {
		i.Resource, rest = resource[1], rest[len(resource[0]):]
	}
	whole, field := rest, firstField
	for rest != "" || field == firstField {
		found := field.FindStringSubmatch(rest)
		if found == nil {
			return fmt.Errorf("%q is no path from %q on: write one such as status.attempts, metadata.annotations['example.com/attempts'] "+
				"or status.conditions[*].message", whole, rest)
		}
		i.Path = append(i.Path, strings.Join(found[1:], "")) // at most one of the groups has matched
		rest, field = rest[len(found[0]):], nextField
	}
	if i.Path[len(i.Path)-1] == everyElement {
		return errors.New("leave out the [*] at the end, to ignore the list as a whole")
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (i Ignored) MarshalText() ([]byte, error) {
	var text strings.Builder
	if i.Resource != "" {
		text.WriteString(i.Resource + ": ")
	}
	for at, field := range i.Path {
		switch {
		case field == everyElement:
			text.WriteString("[*]")
		case firstField.FindString(field) != field:
			text.WriteString("['" + field + "']")
		case at == 0:
			text.WriteString(field)
		default:
			text.WriteString("." + field)
		}
	}
	return []byte(text.String()), nil
}

// validate reports a resource that is not watched, of which nothing could differ.
func (i Ignored) validate(observed []string) error {
	known := func(name string) bool { return name == i.Resource || plural(name) == i.Resource }
	if i.Resource != "" && !slices.ContainsFunc(observed, known) {
		return fmt.Errorf("%q must be one of those under observe", i.Resource)
	}
	return nil
}

// withoutIgnored is an object of a resource, named by its plural, without the fields to ignore.
func withoutIgnored(resource string, object map[string]any, ignore []Ignored) map[string]any {
	copied := false
	for _, i := range ignore {
		if i.Resource != "" && plural(i.Resource) != resource {
			continue
		}
		if !copied {
			object, copied = runtime.DeepCopyJSON(object), true
		}
		removeField(object, i.Path)
	}
	return object
}

// removeField removes the field at the end of a path, wherever that leads.
func removeField(value any, path []string) {
	switch value := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
		} else {
			removeField(value[path[0]], path[1:])
		}
	case []any:
		if path[0] == everyElement {
			for _, element := range value {
				removeField(element, path[1:])
			}
		}
	}
}

// unmatched are those that lead to no field of any object that there ever was in some runs: they may be misspelt.
func unmatched(ignore []Ignored, runs []*Recording) []string {
	var all []string
	for _, i := range ignore {
		if !slices.ContainsFunc(runs, func(run *Recording) bool { return slices.ContainsFunc(run.Events, i.matches) }) {
			text, _ := i.MarshalText()
			all = append(all, string(text))
		}
	}
	return all
}

// matches reports whether the object of an event has the field.
func (i Ignored) matches(e Event) bool {
	return (i.Resource == "" || plural(i.Resource) == e.Resource) && hasField(e.Object.Object, i.Path)
}

// hasField reports whether a path leads to a field.
func hasField(value any, path []string) bool {
	switch value := value.(type) {
	case map[string]any:
		child, found := value[path[0]]
		return found && (len(path) == 1 || hasField(child, path[1:]))
	case []any:
		return path[0] == everyElement && slices.ContainsFunc(value, func(element any) bool { return hasField(element, path[1:]) })
	}
	return false
}
