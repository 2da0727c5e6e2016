package drill

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// decodeFields reads YAML whose fields are of the types that a definition has. Integers stay integers. It is nil of an empty file.
func decodeFields(content []byte) (map[string]any, error) {
	content, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		return nil, fmt.Errorf("it is no valid YAML: %s", oneLine(err))
	}
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(content, &value); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("it must be a map of fields, such as name and scenario")
	}
	return fields, checkMembers("", fields, reflect.TypeFor[Definition]())
}

// checkField reports a value that a field of some type cannot have, by its path, since the decoder names Go's types and no
// element of a list. What has no field is left to the decoder.
func checkField(field string, value any, want reflect.Type) error {
	if value == nil {
		return nil // as if it were not given
	}
	text, isText := value.(string)
	ok, wanted := true, ""
	switch parsed := reflect.New(want).Interface().(type) {
	case *metav1.Duration:
		_, err := time.ParseDuration(text)
		ok, wanted = err == nil, "a duration such as 5s"
	case encoding.TextUnmarshaler:
		ok, wanted = isText, textWanted
		if err := parsed.UnmarshalText([]byte(text)); ok && err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	default:
		switch want.Kind() {
		case reflect.Pointer:
			return checkField(field, value, want.Elem())
		case reflect.Struct, reflect.Map:
			if members, isMap := value.(map[string]any); isMap {
				return checkMembers(field+".", members, want)
			}
			ok, wanted = false, "a map, as in {name: value}"
		case reflect.Slice:
			if elements, isList := value.([]any); isList {
				return checkElements(field, elements, want.Elem())
			}
			ok, wanted = false, "a list, as in [one, another]"
		case reflect.String:
			ok, wanted = isText, textWanted
		case reflect.Bool:
			_, ok = value.(bool)
			wanted = "true or false"
		case reflect.Int:
			_, ok = value.(int64)
			wanted = "a whole number"
		}
	}
	if !ok {
		return fmt.Errorf("%s: give %s", field, wanted)
	}
	return nil
}

// textWanted tells of what YAML takes for something else: 1, yes, and what has a colon in it.
const textWanted = "text, in quotes if YAML takes it for something else"

func checkElements(field string, elements []any, want reflect.Type) error {
	for i, element := range elements {
		if err := checkField(indexed(field)(i), element, want); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers checks the fields of a struct, those of embedded ones included, or the values of a map.
func checkMembers(prefix string, members map[string]any, of reflect.Type) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		want := memberType(of, name)
		if want == nil {
			if near := nearest(name, namesOf(of)); near != "" {
				return fmt.Errorf("unknown field %q: did you mean %s?", prefix+name, near)
			}
			continue
		}
		if err := checkField(prefix+name, members[name], want); err != nil {
			return err
		}
	}
	return nil
}

// memberType is the type of the field that JSON calls by a name; nil where there is none.
func memberType(of reflect.Type, name string) reflect.Type {
	if of.Kind() == reflect.Map {
		return of.Elem()
	}
	for _, field := range reflect.VisibleFields(of) {
		if nameOf(field) == name {
			return field.Type
		}
	}
	return nil
}

// namesOf are what JSON calls the fields of a struct.
func namesOf(of reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(of) {
		names = append(names, nameOf(field))
	}
	return names
}

func nameOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
