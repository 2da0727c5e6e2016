package drill

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/chaos/drills"
	"example.com/twinloop/chaos/proxy"
)

func TestRequestsInExpressions(t *testing.T) {
	create := request(2, "create", "pods", 3, 201)
	create.Name, create.UID, create.Subresource = "web-x7k2p", "u", ""
	status := request(1, "patch", "fleets", 1, 409)
	status.Subresource = "status"
	got := requestValues(began, []Exchange{create, status, request(1, "list", "pods", 0, 200)},
		[]Update{
			{Replica: 1, Place: proxy.Place{Step: "strike", Kind: "UPDATE x."}, Text: "web.x.", Arrived: at(2), Applied: true},
			{Replica: 1, Place: proxy.Place{Step: "strike", Kind: "UPDATE x."}, Text: "web.x.", Arrived: at(4)},
		})
	value := func(changes map[string]any) any {
		all := map[string]any{
			"replica": int64(1), "step": "strike", "subresource": "", "name": "web", "target": "web", "uid": "", "write": true,
		}
		maps.Copy(all, changes)
		return all
	}
	want := []any{
		value(map[string]any{"kind": "LIST pods", "verb": "list", "resource": "pods", "write": false, "status": int64(200), "committed": false, "at": 0.0}),
		value(map[string]any{"kind": "PATCH fleets", "verb": "patch", "resource": "fleets", "subresource": "status", "status": int64(409),
			"committed": false, "at": 1.0}),
		value(map[string]any{"kind": "UPDATE x.", "verb": "update", "resource": "dns", "name": "web.x.", "target": "web.x.", "status": int64(200),
			"committed": true, "at": 2.0}),
		// What is created has no name beforehand that it could be told by.
		value(map[string]any{"replica": int64(2), "kind": "POST pods", "verb": "create", "resource": "pods", "name": "web-x7k2p", "target": "",
			"uid": "u", "status": int64(201), "committed": true, "at": 3.0}),
		value(map[string]any{"kind": "UPDATE x.", "verb": "update", "resource": "dns", "name": "web.x.", "target": "web.x.", "status": int64(0),
			"committed": false, "at": 4.0}),
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("- want, + got\n%s", difference)
	}
}

func TestEventsInExpressions(t *testing.T) {
	added, deleted, before := podEvent(watch.Added, "a", 9), podEvent(watch.Deleted, "a", 11), podEvent(watch.Modified, "a", 10)
	value := func(e Event, old map[string]any) any {
		return map[string]any{"type": string(e.Type), "resource": "pods", "object": e.Object.Object, "old": old}
	}
	got := eventValues([]Event{deleted, added, before}) // as they may be seen
	want := []any{value(added, map[string]any{}), value(before, added.Object.Object), value(deleted, before.Object.Object)}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("- want, + got\n%s", difference)
	}
}

// TestDrillsNameWhatThereIs finds members of requests, events and former writes that the drills of the project name and that
// there are not: an expression cannot tell before it is evaluated.
func TestDrillsNameWhatThereIs(t *testing.T) {
	keys := func(values []any) []string { return slices.Sorted(maps.Keys(values[0].(map[string]any))) }
	requests := keys(requestValues(began, []Exchange{request(1, "create", "pods", 0, 201)}, nil))
	if dns := keys(requestValues(began, nil, []Update{{}})); !slices.Equal(dns, requests) {
		t.Errorf("a DNS update has %q, and other requests %q", dns, requests)
	}
	events := keys(eventValues([]Event{podEvent(watch.Added, "a", 1)}))
	former := keys((&HandOver{Former: []FormerWrite{{}}}).values())
	// By the letters that the drills give them.
	members := map[string][]string{"r": requests, "o": requests, "e": events, "w": append(former, requests...)}
	found := 0
	for _, name := range Names() {
		content, err := drills.Files.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`\b([rowe])\.([a-zA-Z]+)\b`).FindAllSubmatch(content, -1) {
			found++
			if of, member := string(match[1]), string(match[2]); !slices.Contains(members[of], member) {
				t.Errorf("%s.yaml: there is no %s.%s, only %q", name, of, member, members[of])
			}
		}
	}
	if found < 20 {
		t.Errorf("the drills name only %d members", found)
	}
}

func TestWritesInTheOrderOfTheirArrival(t *testing.T) {
	run := &Recording{
		Exchanges: []Exchange{
			request(1, "create", "pods", 3, 201), request(1, "update", "leases", 1, 200), request(1, "get", "pods", 0, 200),
			request(2, "delete", "pods", 1, 409),
		},
		Updates: []Update{{Place: proxy.Place{Kind: "UPDATE x."}, Arrived: at(2)}},
	}
	var kinds []string
	for _, place := range writes(run) {
		kinds = append(kinds, string(place.Kind))
	}
	if want := []string{"DELETE pods", "UPDATE x.", "POST pods"}; !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q: a Lease is renewed for ever", kinds, want)
	}
}
