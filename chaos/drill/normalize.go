package drill

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// normalizer takes out of objects what differs between runs.
type normalizer struct {
	*tokens
	texts map[string]string // those that were normalized before: most come again in every object of a kind
	// generation is the object's, of whose fields one may say which generation it is about.
	generation float64
}

// volatile are the fields of metadata that are different for every object, or say how it came about.
var volatile = []string{
	"resourceVersion", "creationTimestamp", "managedFields", "deletionTimestamp", "selfLink", "generation",
}

// object returns an object as it is in every run.
func (n normalizer) object(plural string, object map[string]any) any {
	n.generation, _ = number(metadataOf(object)["generation"])
	normal := n.normalize(object).(map[string]any)
	if key, encoded := encodedIn[plural]; encoded {
		values, _ := normal[key].(map[string]any)
		for name, value := range values {
			values[name] = n.decoded(value)
		}
	}
	return normal
}

// encodedIn are the fields whose values are in base64, by the resource that has them.
var encodedIn = map[string]string{"secrets": "data", "configmaps": "binaryData"}

// decoded returns a value in base64 as it is, or as text if that has something in it which differs between runs.
func (n normalizer) decoded(value any) any {
	encoded, _ := value.(string)
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !isText(string(plain)) {
		return value
	}
	if text := n.text(string(plain)); text != string(plain) {
		return "base64 of " + text
	}
	return value
}

// isText reports whether most of some bytes can be printed.
func isText(bytes string) bool {
	odd := 0
	for _, r := range bytes {
		if r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			odd++
		}
	}
	return bytes != "" && odd*10 < len(bytes)
}

func (n normalizer) normalize(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return n.fields(value)
	case []any:
		normal := make([]any, len(value))
		for i, child := range value {
			normal[i] = n.normalize(child)
		}
		return normal
	case string:
		return n.text(value)
	case int64:
		return n.number(value)
	}
	return value
}

// number returns a number as it is, but for a port that was drawn.
func (n normalizer) number(value int64) any {
	if value < lowestNodePort {
		return value
	}
	text := strconv.FormatInt(value, 10)
	if stands := n.replace(text); stands != text {
		return stands
	}
	return value
}

// lowestNodePort is the first that the API server gives to a service, unless it is told another.
const lowestNodePort = 30000

// fields returns those of a map.
func (n normalizer) fields(of map[string]any) map[string]any {
	normal := make(map[string]any, len(of))
	same := map[string][]any{}
	for key, child := range of {
		switch key {
		case "metadata":
			child = n.normalize(withoutVolatile(child))
		case "observedGeneration":
			child = n.observed(child)
		default:
			child = n.normalize(child)
		}
		key = n.replace(key)
		switch first, taken := normal[key]; {
		case !taken:
			normal[key] = child
		case same[key] == nil:
			same[key] = []any{first, child}
		default:
			same[key] = append(same[key], child)
		}
	}
	for key, children := range same {
		numbered(normal, key, children)
	}
	return normal
}

// numbered gives fields of one key, such as a generated name, a number each but the first. Their order is that of their values: that
// of the keys was drawn.
func numbered(fields map[string]any, key string, children []any) {
	for i, child := range canonical(children).([]any) {
		if i == 0 {
			fields[key] = child
		} else {
			fields[fmt.Sprintf("%s (%d)", key, i+1)] = child
		}
	}
}

// observed says of a generation what the object's is to it: how many there were may differ.
func (n normalizer) observed(generation any) any {
	observed, ok := number(generation)
	switch {
	case !ok || n.generation == 0:
		return generation
	case observed < n.generation:
		return "<behind>"
	case observed > n.generation:
		return "<ahead>"
	}
	return "<current>"
}

func withoutVolatile(metadata any) any {
	fields, ok := metadata.(map[string]any)
	if !ok {
		return metadata
	}
	rest := maps.Clone(fields)
	for _, key := range volatile {
		delete(rest, key)
	}
	return rest
}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)

// text returns a text as it is in every run.
func (n normalizer) text(text string) string {
	if normal, ok := n.texts[text]; ok {
		return normal
	}
	normal := n.replace(text)
	if timestamp.MatchString(text) {
		normal = "<time>"
	} else if _, err := netip.ParseAddr(normal); err == nil {
		normal = "<address>"
	}
	n.texts[text] = normal
	return normal
}
