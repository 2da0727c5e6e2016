package proxy

import (
	"net/url"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
)

// Whose turn it is of a bookmark and the events of two objects.
func TestTurn(t *testing.T) {
	a := &event{WatchEvent: WatchEvent{Type: watch.Modified, Name: "a"}}
	b := &event{WatchEvent: WatchEvent{Type: watch.Modified, Name: "b"}}
	initial := &event{WatchEvent: WatchEvent{Type: watch.Added, Name: "a"}, initial: true}
	bookmark := &event{WatchEvent: WatchEvent{Type: watch.Bookmark}}
	all, one, other := Watched{Resource: "pods"}, Watched{"pods", "a"}, Watched{Resource: "fleets"}
	tests := []struct {
		name          string
		withheld      []*event
		held, skipped []Watched
		want          int
	}{
		{name: "nothing there", want: -1},
		{name: "in order", withheld: []*event{a, bookmark, b}, want: 0},
		{name: "all held", withheld: []*event{a, bookmark, b}, held: []Watched{all}, want: -1},
		{name: "another resource held", withheld: []*event{a}, held: []Watched{other}, want: 0},
		{name: "overtaken by an object", withheld: []*event{a, bookmark, b}, held: []Watched{one}, want: 2},
		{name: "not by a bookmark", withheld: []*event{a, bookmark}, held: []Watched{one}, want: -1},
		{name: "a bookmark before it", withheld: []*event{bookmark, a}, held: []Watched{one}, want: 0},
		{name: "a bookmark of a held resource", withheld: []*event{bookmark}, held: []Watched{all}, want: -1},
		{name: "skipped", withheld: []*event{a, bookmark, b}, skipped: []Watched{one}, want: 2},
		{name: "all skipped", withheld: []*event{a, b}, skipped: []Watched{all}, want: -1},
		{name: "the state is not skipped", withheld: []*event{initial, a}, skipped: []Watched{all}, want: 0},
		{name: "the state is held", withheld: []*event{initial, b}, held: []Watched{one}, want: 1},
	}
	for _, test := range tests {
		c := newConditions()
		for _, w := range test.held {
			c.held[w] = struct{}{}
		}
		for _, w := range test.skipped {
			c.skipped[w] = struct{}{}
		}
		s := &stream{call: &Call{Request: Request{Resource: "pods"}}, withheld: test.withheld}
		if got := s.turn(&c); got != test.want {
			t.Errorf("%s: the turn is number %d's, want %d's", test.name, got, test.want)
		}
	}
}

func TestIsCachedList(t *testing.T) {
	for query, want := range map[string]bool{
		"":                             false,
		"limit=500":                    false,
		"resourceVersion=0":            true,
		"resourceVersion=0&limit=500":  true,
		"resourceVersion=7":            true,
		"resourceVersion=7&limit=500":  false,
		"resourceVersion=7&continue=x": false,
		"resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=500": true,
		"resourceVersion=7&resourceVersionMatch=Exact":                  false,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := isCachedList(Request{Verb: "list"}, values); got != want {
			t.Errorf("%q is cached: %t, want %t", query, got, want)
		}
	}
}
