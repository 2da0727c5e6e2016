package drill

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func podEvent(kind watch.EventType, name string, version int) Event {
	return Event{Type: kind, Resource: "pods", Seen: time.Unix(int64(version), 0), Object: &unstructured.Unstructured{
		Object: map[string]any{"metadata": map[string]any{"name": name, "resourceVersion": strconv.Itoa(version)}},
	}}
}

func TestInvariantsHoldAfterEveryEventInTheOrderOfVersions(t *testing.T) {
	definition, err := Parse("small", []byte(small)) // at most one pod
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compile(definition)
	if err != nil {
		t.Fatal(err)
	}
	added, deleted := watch.Added, watch.Deleted
	for _, test := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"kept", []Event{podEvent(added, "a", 1), podEvent(deleted, "a", 2), podEvent(added, "b", 3)}, nil},
		{"kept, though seen in another order", []Event{podEvent(added, "a", 1), podEvent(added, "b", 3), podEvent(deleted, "a", 2)}, nil},
		{"broken, though seen in another order", []Event{podEvent(added, "a", 1), podEvent(deleted, "a", 3), podEvent(added, "b", 2)},
			[]string{"ADDED pods b at version 2"}},
		{"broken once, for as long as it lasts", []Event{podEvent(added, "a", 1), podEvent(added, "b", 2), podEvent(added, "c", 3)},
			[]string{"ADDED pods b at version 2"}},
		{"broken twice", []Event{podEvent(added, "a", 1), podEvent(added, "b", 2), podEvent(deleted, "b", 3), podEvent(added, "c", 4)},
			[]string{"ADDED pods b at version 2", "ADDED pods c at version 4"}},
		{"versions are numbers, not text", []Event{podEvent(added, "a", 9), podEvent(deleted, "a", 10), podEvent(added, "b", 11)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := compiled.violations([]string{"pods"}, test.events)
			if len(found) != len(test.want) {
				t.Fatalf("found %v, want %v", found, test.want)
			}
			for i, violation := range found {
				if violation.Invariant != "one" || violation.Event != test.want[i] {
					t.Errorf("found %+v, want %s", violation, test.want[i])
				}
			}
		})
	}
}

func TestLeaks(t *testing.T) {
	object := func(name, uid, owner string) map[string]any {
		metadata := map[string]any{"name": name, "uid": uid}
		if owner != "" {
			metadata["ownerReferences"] = []any{map[string]any{"kind": "Fleet", "name": "web", "uid": owner}}
		}
		return map[string]any{"metadata": metadata}
	}
	held := object("web", "u", "")
	held["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/held"}
	for _, test := range []struct {
		name string
		last view
		want string // "" for none
	}{
		{"nothing is left", view{}, ""},
		{"an owner and what it owns", view{objects: map[string][]any{"fleets": {object("web", "u", "")}, "pods": {object("a", "p", "u")}}}, ""},
		{"an object that was never owned", view{objects: map[string][]any{"pods": {object("a", "p", "")}}}, ""},
		{"an object without its owner", view{objects: map[string][]any{"pods": {object("a", "p", "u")}}}, "pods a outlives its owner Fleet web"},
		{"an object that cannot go", view{objects: map[string][]any{"fleets": {held}}}, "fleets web is held by its finalizers [example.com/held]"},
		{"a record and its owner", view{objects: map[string][]any{"fleets": {object("web", "u", "")}}, records: []any{map[string]any{"name": "web.", "owner": "u"}}}, ""},
		{"a record without its owner", view{records: []any{map[string]any{"name": "web.", "owner": "u"}}}, "DNS record web. outlives its owner"},
	} {
		found := leaks(test.last)
		switch {
		case test.want == "" && len(found) > 0:
			t.Errorf("%s: found %v", test.name, found)
		case test.want != "" && (len(found) != 1 || found[0] != test.want):
			t.Errorf("%s: found %v, want %s", test.name, found, test.want)
		}
	}
}

func TestPanicIsDishonest(t *testing.T) {
	log := "I0101 starting workers\npanic: runtime error: index out of range\ngoroutine 1 [running]:\n"
	if found := dishonest(log); len(found) != 1 || !strings.Contains(found[0], "index out of range") {
		t.Errorf("found %v", found)
	}
	if found := dishonest("I0101 a pod named panic: was created\n"); found != nil {
		t.Errorf("found %v in an honest log", found)
	}
}
