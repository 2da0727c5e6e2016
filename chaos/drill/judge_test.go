package drill

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/chaos/proxy"
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
		{"an object without its owner", view{objects: map[string][]any{"fleets": {}, "pods": {object("a", "p", "u")}}},
			"pods a outlives its owner Fleet web"},
		{"an object whose owner is not observed", view{objects: map[string][]any{"pods": {object("a", "p", "u")}}}, ""},
		{"an object that cannot go", view{objects: map[string][]any{"fleets": {held}}}, "fleets web is held by its finalizers [example.com/held]"},
		{"a record and its owner", view{objects: map[string][]any{"fleets": {object("web", "u", "")}}, records: []any{map[string]any{"name": "web.", "owner": "u"}}}, ""},
		{"a record without its owner", view{records: []any{map[string]any{"name": "web.", "owner": "u"}}}, "DNS record web. outlives its owner"},
	} {
		test.last.kinds = knownKinds{{Kind: "Pod"}: "pods"}
		if _, observed := test.last.objects["fleets"]; observed {
			test.last.kinds[schema.GroupKind{Kind: "Fleet"}] = "fleets"
		}
		found := leaks(test.last)
		switch {
		case test.want == "" && len(found) > 0:
			t.Errorf("%s: found %v", test.name, found)
		case test.want != "" && (len(found) != 1 || found[0] != test.want):
			t.Errorf("%s: found %v, want %s", test.name, found, test.want)
		}
	}
}

func TestPanicIsFound(t *testing.T) {
	log := "I0101 starting workers\npanic: runtime error: index out of range\ngoroutine 1 [running]:\n"
	if found := panics(log); len(found) != 1 || !strings.Contains(found[0], "index out of range") {
		t.Errorf("found %v", found)
	}
	if found := panics("I0101 a pod named panic: was created\n"); found != nil {
		t.Errorf("found %v in a log without a panic", found)
	}
}

func TestViolationIsToldOnceAndThenCounted(t *testing.T) {
	violation := func(invariant, event string) Violation {
		return Violation{Invariant: invariant, Event: event, Objects: []string{"pods a", "pods b"}}
	}
	got := violated([]Violation{
		violation("live", "ADDED pods b"), violation("available", "DELETED pods a"), violation("live", "ADDED pods c"), violation("live", "ADDED pods d"),
	})
	want := []Finding{
		{Oracle: Safe, Text: "live: violated by ADDED pods b; there were:\npods a\npods b\nand 2 more times", cause: "live"},
		{Oracle: Safe, Text: "available: violated by DELETED pods a; there were:\npods a\npods b", cause: "available"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNotSilent(t *testing.T) {
	during := func(step string, x Exchange) Exchange {
		x.Place.Step, x.Path = step, "/x"
		return x
	}
	for _, test := range []struct {
		name string
		run  Recording
		want []string
	}{
		{"nothing", Recording{}, nil},
		{"work in a step", Recording{Exchanges: []Exchange{during("roll", request(1, "create", "pods", 0, 201))}}, nil},
		{"a renewed Lease", Recording{Exchanges: []Exchange{during(listening, request(1, "update", "leases", 0, 200))}}, nil},
		{"a look at one object", Recording{Exchanges: []Exchange{during(listening, request(1, "get", "pods", 0, 200))}}, nil},
		{"a write", Recording{Exchanges: []Exchange{during(listening, request(1, "update", "fleets", 0, 200))}},
			[]string{"with nothing to do: PUT fleets (/x)"}},
		{"a write that is refused", Recording{Exchanges: []Exchange{during(listening, request(1, "patch", "fleets", 0, 409))}},
			[]string{"with nothing to do: PATCH fleets (/x)"}},
		{"a list", Recording{Exchanges: []Exchange{during(listening, request(1, "list", "pods", 0, 200))}},
			[]string{"with nothing to do: LIST pods (/x)"}},
		{"DNS updates", Recording{Updates: []Update{
			{Place: proxy.Place{Step: "roll", Kind: "UPDATE x."}}, {Place: proxy.Place{Step: listening, Kind: "UPDATE x."}, Text: "web"},
		}}, []string{"with nothing to do: UPDATE x. (web)"}},
	} {
		if got := notSilent(&test.run); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestExpectations: one that cannot be told is a finding as one that does not hold is; where the end was not reached nothing is expected.
func TestExpectations(t *testing.T) {
	definition := parse(t, strings.Replace(smallCases, "measures['pods left'] == 1", "pods[0].metadata.name == 'a' && !formerWrites.exists(w, w.accepted)", 1))
	compiled, err := compile(definition)
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{definition: definition, expressions: compiled}
	pod := func(name string) view {
		return view{objects: map[string][]any{"fleets": {}, "pods": {map[string]any{"metadata": map[string]any{"name": name}}}}}
	}
	none := view{objects: map[string][]any{"pods": {}, "fleets": {}}}
	for _, test := range []struct {
		name string
		run  Recording
		want string // "" for nothing found
	}{
		{"it holds", Recording{last: pod("a")}, ""},
		{"it does not", Recording{last: pod("b")}, "a pod is left: does not hold (pods[0].metadata.name == 'a' && "},
		{"by what the former leader did", Recording{last: pod("a"), HandOver: &HandOver{Former: []FormerWrite{{Accepted: true}}}},
			"a pod is left: does not hold"},
		{"it cannot be told", Recording{last: none}, "a pod is left: cannot be told: index out of bounds: 0"},
		{"the end was not reached", Recording{last: pod("b"), Failure: errEnded}, ""},
	} {
		found := a.expect(compiled.cases["once"], &test.run)
		if len(found) > 1 || (len(found) == 1) != (test.want != "") {
			t.Errorf("%s: found %v", test.name, found)
		} else if len(found) == 1 && (found[0].Oracle != Safe || !strings.HasPrefix(found[0].Text, test.want)) {
			t.Errorf("%s: found %+v, want %q", test.name, found[0], test.want)
		}
	}
	if got := a.measure(&Recording{last: pod("a")}); !maps.Equal(got, map[string]int{"pods left": 1}) {
		t.Errorf("measures %v", got)
	}
}

// TestIdleReads has an operator that looks now and then, and one that never stops.
func TestIdleReads(t *testing.T) {
	reads := func(step, path string, times int, gap func(int) time.Duration) *Recording {
		var run Recording
		for _, at := range afterGaps(times, 1, gap) {
			x := proxy.Exchange{Request: proxy.Request{Verb: "get", Resource: "webs", Path: path}, Place: proxy.Place{Step: step}, Arrived: at}
			run.Exchanges = append(run.Exchanges, Exchange{1, x})
		}
		return &run
	}
	always := exponential(10 * time.Millisecond)
	if found := idleReads(reads(listening, "/webs/a", hotExtra, always)); len(found) > 0 {
		t.Errorf("of one that looks now and then: %q", found)
	}
	if found := idleReads(reads("create", "/webs/a", 1000, always)); len(found) > 0 {
		t.Errorf("of one that has something to do: %q", found)
	}
	if found := idleReads(reads(listening, "/webs/a", hotExtra+1, func(try int) time.Duration { return time.Duration(try) * time.Second })); len(found) > 0 {
		t.Errorf("of one that looks ever more seldom: %q", found)
	}
	want := []string{"with nothing to do: 1000 times GET /webs/a"}
	if found := idleReads(reads(listening, "/webs/a", 1000, always)); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
