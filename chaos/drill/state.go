package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/shared/zone"
)

// Event is a change that the observer saw, in one namespace.
type Event struct {
	Type     watch.EventType
	Resource string // its plural
	Object   *unstructured.Unstructured
	Seen     time.Time
}

// version is the place of an event in the order in which the API server committed all of them. (Versions of different
// resources can be compared since they are kept in one etcd.)
func (e Event) version() uint64 {
	version, _ := strconv.ParseUint(e.Object.GetResourceVersion(), 10, 64)
	return version
}

// asCommitted are events in the order in which they were committed.
func asCommitted(events []Event) []Event {
	return slices.SortedStableFunc(slices.Values(events), func(a, b Event) int { return cmp.Compare(a.version(), b.version()) })
}

// state is what a namespace holds, by plural and name.
type state map[string]map[string]*unstructured.Unstructured

func newState(plurals []string) state {
	s := state{}
	for _, name := range plurals {
		s[name] = map[string]*unstructured.Unstructured{}
	}
	return s
}

// apply changes the state by an event and returns what was there before, or nil.
func (s state) apply(e Event) (before *unstructured.Unstructured) {
	objects := s[e.Resource]
	before = objects[e.Object.GetName()]
	if e.Type == watch.Deleted {
		delete(objects, e.Object.GetName())
	} else {
		objects[e.Object.GetName()] = e.Object
	}
	return before
}

// lists are the objects as expressions see them, each resource in the order of names.
func (s state) lists() map[string][]any {
	lists := map[string][]any{}
	for name, objects := range s {
		lists[name] = []any{}
		for _, key := range slices.Sorted(maps.Keys(objects)) {
			lists[name] = append(lists[name], objects[key].Object)
		}
	}
	return lists
}

// recordsOf are a zone's entries as expressions see them.
func recordsOf(entries []zone.Entry) []any {
	records := []any{}
	for _, entry := range entries {
		addresses := []any{}
		for _, address := range entry.Addresses {
			addresses = append(addresses, address.String())
		}
		records = append(records, map[string]any{
			"name": entry.Name, "owner": entry.Owner, "ttl": int64(entry.TTL), "addresses": addresses,
		})
	}
	return records
}

// Violation is an invariant that did not hold after an event.
type Violation struct {
	Invariant, Event string
	// At is when the event was seen.
	At time.Time
	// Unevaluated is why it could not be told whether it held; nil where it did not.
	Unevaluated error
	// Objects are what there was then, a line each.
	Objects []string
}

// violations evaluates the invariants after every event, in the order in which they were committed. An invariant that
// was broken by an event is not reported again until it has held in between.
func (e *expressions) violations(plurals []string, events []Event) []Violation {
	var found []Violation
	broken := map[string]bool{}
	world := newState(plurals)
	for _, event := range asCommitted(events) {
		before := world.apply(event)
		seen := e.scope(view{objects: world.lists(), records: []any{}, event: eventValue(event, before)})
		for _, invariant := range e.invariants {
			holds, err := seen.truth(invariant.program)
			if !holds && !broken[invariant.name] {
				found = append(found, Violation{invariant.name, describe(event), event.Seen, err, world.describe()})
			}
			broken[invariant.name] = !holds
		}
	}
	return found
}

func eventValue(e Event, before *unstructured.Unstructured) map[string]any {
	value := map[string]any{"type": string(e.Type), "resource": e.Resource, "object": e.Object.Object, "old": map[string]any{}}
	if before != nil {
		value["old"] = before.Object
	}
	return value
}

func describe(e Event) string {
	return fmt.Sprintf("%s %s %s at version %s", e.Type, e.Resource, e.Object.GetName(), e.Object.GetResourceVersion())
}

// inventory is the line before a list of objects.
const inventory = "there are:"

// describe lists the objects, each with what most invariants are about.
func (s state) describe() []string { return describeLists(s.lists()) }

func describeLists(lists map[string][]any) []string {
	var lines []string
	for _, plural := range slices.Sorted(maps.Keys(lists)) {
		for _, object := range lists[plural] {
			object := &unstructured.Unstructured{Object: object.(map[string]any)}
			lines = append(lines, plural+" "+object.GetName()+describeObject(object))
		}
	}
	return lines
}

func describeObject(object *unstructured.Unstructured) string {
	var text strings.Builder
	add := func(label string, path ...string) {
		if value, found, _ := unstructured.NestedFieldNoCopy(object.Object, path...); found {
			fmt.Fprintf(&text, " %s%v", label, value)
		}
	}
	add("", "status", "phase")
	add("replicas ", "spec", "replicas")
	add("generation ", "metadata", "generation")
	add("observed ", "status", "observedGeneration")
	if object.GetDeletionTimestamp() != nil {
		text.WriteString(" terminating")
	}
	if held := object.GetFinalizers(); len(held) > 0 {
		fmt.Fprintf(&text, " held by %s", strings.Join(held, ", "))
	}
	fmt.Fprintf(&text, " (version %s)", object.GetResourceVersion())
	return text.String()
}
