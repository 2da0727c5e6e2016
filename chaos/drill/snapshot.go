package drill

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// snapshot is what a namespace and its zone hold, with everything taken out that differs between two runs that came to
// the same: uids, versions, times, generated names, addresses.
type snapshot []string

// takeSnapshot normalizes what expressions see, without the fields to ignore.
func takeSnapshot(namespace string, v view, ignore []Ignored) snapshot {
	n := normalizer{namespace: namespace, stands: map[string]string{}}
	for plural, objects := range v.objects {
		for _, object := range objects {
			n.learn(plural, object.(map[string]any))
			n.learnOwners(v, object.(map[string]any))
		}
	}
	var lines snapshot
	for plural, objects := range v.objects {
		for _, object := range objects {
			lines = append(lines, plural+" "+n.write(withoutIgnored(plural, object.(map[string]any), ignore)))
		}
	}
	for _, record := range v.records {
		lines = append(lines, "records "+n.write(record))
	}
	slices.Sort(lines)
	return lines
}

// difference shows what a snapshot lacks (-) and has in excess (+) of a reference; empty when they are the same. One
// object for another of its resource is shown by the fields in which they differ.
func (s snapshot) difference(reference snapshot) string {
	missing, excess := subtract(reference, s), subtract(s, reference)
	var text strings.Builder
	var lost snapshot
	for _, line := range missing {
		resource, object, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(excess, func(other string) bool { return strings.HasPrefix(other, resource+" ") })
		if i < 0 {
			lost = append(lost, line)
			continue
		}
		_, found, _ := strings.Cut(excess[i], " ")
		fmt.Fprintf(&text, "%s:\n%s", resource, cmp.Diff(unmarshal(object), unmarshal(found)))
		excess = slices.Delete(excess, i, i+1)
	}
	lost.list(&text, "-")
	excess.list(&text, "+")
	return text.String()
}

// list writes each object, those once that are alike but for a name, a number or the like.
func (s snapshot) list(text *strings.Builder, sign string) {
	alike := map[string]int{}
	for _, line := range s {
		alike[withoutParticulars(line)]++
	}
	for _, line := range s {
		like := withoutParticulars(line)
		switch n := alike[like]; {
		case n == 1:
			fmt.Fprintf(text, "%s %s\n", sign, line)
		case n > 1:
			fmt.Fprintf(text, "%s %s, and %d more like it\n", sign, line, n-1)
		}
		delete(alike, like)
	}
}

// subtract is what a has more of than b, each as often as it has it more.
func subtract(a, b snapshot) snapshot {
	rest := slices.Clone(b)
	var more snapshot
	for _, line := range a {
		if i := slices.Index(rest, line); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			more = append(more, line)
		}
	}
	return more
}

type normalizer struct {
	namespace string
	// stands maps the uids, generated names and addresses of the objects to what stands for them.
	stands map[string]string
}

func (n normalizer) learn(plural string, object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if prefix, ok := metadata["generateName"].(string); ok {
		n.stands[name] = prefix + "*"
		name = prefix + "*"
	}
	if uid, ok := metadata["uid"].(string); ok {
		n.stands[uid] = "<uid of " + plural + "/" + name + ">"
	}
	for _, path := range [][]string{{"status", "podIP"}, {"spec", "clusterIP"}} {
		address, _, _ := unstructured.NestedString(object, path...)
		if _, err := netip.ParseAddr(address); err == nil {
			n.stands[address] = "<address of " + plural + "/" + name + ">"
		}
	}
}

// learnOwners learns those owners of an object that are not observed themselves, by kind and name.
func (n normalizer) learnOwners(v view, object map[string]any) {
	owners, _ := metadataOf(object)["ownerReferences"].([]any)
	for _, owner := range owners {
		owner, _ := owner.(map[string]any)
		if uid, _ := owner["uid"].(string); !observes(v, owner) {
			n.stands[uid] = fmt.Sprintf("<uid of %v/%v>", owner["kind"], owner["name"])
		}
	}
}

func (n normalizer) write(value any) string {
	return marshal(n.normalize(value))
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

// volatile are the fields of metadata that are different for every object, or say how it came about.
var volatile = []string{"resourceVersion", "creationTimestamp", "managedFields", "deletionTimestamp", "selfLink"}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)

func unmarshal(text string) any {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err) // marshal wrote it
	}
	return value
}

func (n normalizer) normalize(value any) any {
	switch value := value.(type) {
	case map[string]any:
		normal := map[string]any{}
		for key, child := range value {
			if key == "metadata" {
				if metadata, ok := child.(map[string]any); ok {
					child = without(metadata, volatile)
				}
			}
			// An empty field says what a missing one does: which of them there is depends on who wrote the object last.
			if child := n.normalize(child); !isEmpty(child) {
				normal[key] = child
			}
		}
		return normal
	case []any:
		normal := make([]any, len(value))
		for i, child := range value {
			normal[i] = n.normalize(child)
		}
		// Most lists of the API are sets or maps by a key, whose order tells only how they came about.
		slices.SortFunc(normal, func(a, b any) int { return strings.Compare(marshal(a), marshal(b)) })
		return normal
	case string:
		return n.text(value)
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

func (n normalizer) text(text string) string {
	if stands, ok := n.stands[text]; ok {
		return stands
	}
	if timestamp.MatchString(text) {
		return "<time>"
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return "<address>"
	}
	return strings.ReplaceAll(text, n.namespace, "<namespace>")
}

func without(metadata map[string]any, keys []string) map[string]any {
	rest := map[string]any{}
	for key, value := range metadata {
		if !slices.Contains(keys, key) {
			rest[key] = value
		}
	}
	return rest
}
