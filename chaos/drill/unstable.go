package drill

import (
	"encoding/json"
	"slices"
	"strings"
)

// unstable returns the fields whose values differ between snapshots of one step in runs without a fault, as narrow as they can be
// ignored, and, as text, the objects that only some of them have: no field that is ignored makes up for these.
func unstable(runs []snapshot) (fields []Ignored, objects string) {
	for _, run := range runs[1:] {
		for {
			d := run.without(fields).difference(runs[0].without(fields))
			if objects == "" {
				objects = difference{missing: d.missing, excess: d.excess}.String()
			}
			known := len(fields)
			for _, field := range d.fields() {
				if !slices.ContainsFunc(fields, field.equal) {
					fields = append(fields, field)
				}
			}
			if len(fields) == known {
				break
			}
		}
	}
	return narrowed(fields, runs[0]), objects
}

// narrowed names an object only where another of its resource is there in which the field does not differ, and each field once.
func narrowed(fields []Ignored, s snapshot) []Ignored {
	var all []Ignored
	for _, f := range fields {
		ofAnother := func(other Ignored) bool {
			return other.Resource == f.Resource && other.Name != f.Name && slices.Equal(other.Path, f.Path)
		}
		if !isPlain(f.Name) || slices.ContainsFunc(fields, ofAnother) || s.count(f.Resource) < 2 {
			f.Name = ""
		}
		if !slices.ContainsFunc(all, f.equal) {
			all = append(all, f)
		}
	}
	return all
}

// isPlain reports whether a name is what the object is called in every run.
func isPlain(name string) bool { return name != "" && !strings.ContainsAny(name, "*<>[?\\ \t\n") }

func (s snapshot) count(resource string) int {
	n := 0
	for _, e := range s {
		if e.resource == resource {
			n++
		}
	}
	return n
}

// ignoreLine returns the line of a drill file that ignores some fields.
func ignoreLine(fields []Ignored) string {
	var texts []string
	for _, f := range fields {
		quoted, err := json.Marshal(f.String())
		if err != nil {
			panic(err) // any text can be written
		}
		texts = append(texts, string(quoted))
	}
	return "ignore: [" + strings.Join(texts, ", ") + "]"
}
