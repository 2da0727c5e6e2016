package drill

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/twinloop/chaos/proxy"
)

// began is when the made-up runs began; at is a number of seconds after that.
var began = time.Unix(1_000_000, 0)

func at(seconds float64) time.Time {
	return began.Add(time.Duration(seconds * float64(time.Second)))
}

// request is a replica's request that arrived at a time and was answered a tenth of a second later.
func request(replica int, verb, resource string, arrived float64, status int) Exchange {
	methods := map[string]string{"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "get": "GET", "list": "LIST"}
	return Exchange{replica, proxy.Exchange{
		Request: proxy.Request{Verb: verb, Resource: resource, Name: "web", LeaderLock: resource == "leases"},
		Place:   proxy.Place{Step: "strike", Kind: proxy.Kind(methods[verb] + " " + resource), Ordinal: 1},
		Arrived: at(arrived), Answered: at(arrived + 0.125), Finished: at(arrived + 0.125), Forwarded: true, Status: status, Delivered: true,
	}}
}

func unanswered(x Exchange) Exchange {
	x.Answered, x.Finished, x.Status, x.Delivered = time.Time{}, time.Time{}, 0, false
	return x
}

func TestHandOver(t *testing.T) {
	const former, next, third = 1, 2, 3
	takes := func(who int, when float64) Exchange { return request(who, "update", "leases", when, 200) }
	works := func(who int, when float64) Exchange { return request(who, "create", "pods", when, 201) }
	for _, test := range []struct {
		name      string
		exchanges []Exchange
		updates   []Update
		want      HandOver
	}{
		{"nobody takes over", []Exchange{takes(former, -1), works(former, -0.5)}, nil, HandOver{}},
		{"released and taken", []Exchange{takes(former, 0.25), takes(next, 1), works(next, 2)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125}},
		{"taken, and nothing to do", []Exchange{takes(former, 0.25), takes(next, 1)}, nil, HandOver{NewHolder: 1.125}},
		{"taken and renewed", []Exchange{takes(next, 1), takes(next, 3), works(next, 4)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 4.125}},
		{"what was before the leader was taken away", []Exchange{takes(next, -3), works(next, -2), takes(next, 1), works(next, 2)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125}},
		{"tried for and not got", []Exchange{request(next, "update", "leases", 1, 409), unanswered(takes(next, 2)), takes(next, 3)}, nil,
			HandOver{NewHolder: 3.125}},
		{"looked at only", []Exchange{request(next, "get", "leases", 1, 200)}, nil, HandOver{}},
		{"created anew", []Exchange{request(next, "create", "leases", 1, 201)}, nil, HandOver{NewHolder: 1.125}},
		{"an event is no work", []Exchange{takes(next, 1), request(next, "create", "events", 2, 201), works(next, 3)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 3.125}},
		{"nor is reading, nor what is refused",
			[]Exchange{takes(next, 1), request(next, "list", "pods", 2, 200), request(next, "create", "pods", 3, 409), works(next, 4)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 4.125}},
		{"nor is another's than the holder's", []Exchange{takes(next, 1), works(third, 2), works(next, 3)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 3.125}},
		{"in the order of answers", []Exchange{works(next, 2), takes(third, 3), takes(next, 1)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125}},
		{"the former writes before its successor does", []Exchange{takes(next, 1), works(former, 1.5), works(next, 2)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125}},
		{"the former writes while its successor's first is on its way", []Exchange{takes(next, 1), works(next, 2), works(former, 2.0625)}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125}},
		{"the former writes after its successor's first",
			[]Exchange{
				takes(next, 1), works(next, 2), works(former, 3), request(former, "patch", "fleets", 4, 409),
				unanswered(request(former, "delete", "pods", 5, 0)), takes(former, 6), request(former, "list", "pods", 7, 200),
			}, nil,
			HandOver{NewHolder: 1.125, FirstWrite: 2.125, Former: []FormerWrite{
				{Request: "POST pods", Object: "web", At: 3, Status: 201, Accepted: true},
				{Request: "PATCH fleets", Object: "web", At: 4, Status: 409},
				{Request: "DELETE pods", Object: "web", At: 5},
			}}},
		{"the former writes, and nobody else works", []Exchange{takes(next, 1), works(former, 3)}, nil, HandOver{NewHolder: 1.125}},
		{"the former publishes",
			[]Exchange{takes(next, 1), works(next, 2)},
			[]Update{
				{Replica: former, Place: proxy.Place{Kind: "UPDATE fleet.test."}, Text: "early", Arrived: at(2), Applied: true},
				{Replica: former, Place: proxy.Place{Kind: "UPDATE fleet.test."}, Text: "late", Arrived: at(3), Applied: true},
				{Replica: former, Place: proxy.Place{Kind: "UPDATE fleet.test."}, Text: "refused", Arrived: at(4)},
				{Replica: next, Place: proxy.Place{Kind: "UPDATE fleet.test."}, Text: "its successor's", Arrived: at(5), Applied: true},
			},
			HandOver{NewHolder: 1.125, FirstWrite: 2.125, Former: []FormerWrite{
				{Request: "UPDATE fleet.test.", Object: "late", At: 3, Accepted: true},
				{Request: "UPDATE fleet.test.", Object: "refused", At: 4},
			}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if difference := cmp.Diff(&test.want, newHandOver(began, former, test.exchanges, test.updates), cmpopts.IgnoreUnexported(HandOver{})); difference != "" {
				t.Errorf("- want, + got\n%s", difference)
			}
		})
	}
}

func TestLeaders(t *testing.T) {
	lease := func(who int, when float64, status int) Exchange {
		return request(who, "update", "leases", when, status)
	}
	for _, test := range []struct {
		name      string
		exchanges []Exchange
		want      []int
	}{
		{"nobody", nil, nil},
		{"one that renews", []Exchange{lease(1, 1, 200), lease(1, 2, 200)}, []int{1}},
		{"one that releases, and another", []Exchange{lease(1, 1, 200), lease(1, 2, 200), lease(2, 3, 200)}, []int{1, 2}},
		{"one after the other, and back", []Exchange{lease(1, 1, 200), lease(2, 2, 200), lease(1, 3, 200)}, []int{1, 2, 1}},
		{"one that tries", []Exchange{lease(1, 1, 200), lease(2, 2, 409), unanswered(lease(2, 3, 0)), lease(1, 4, 200)}, []int{1}},
		{"one that works without it", []Exchange{lease(1, 1, 200), request(2, "create", "pods", 2, 201)}, []int{1}},
		{"in the order of answers", []Exchange{lease(2, 2, 200), lease(1, 1, 200)}, []int{1, 2}},
	} {
		if got := leaders(test.exchanges); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		newHolder, from, to float64
		want                bool
	}{
		{13, 13, 23.8, true}, {23.8, 13, 23.8, true}, {12.9, 13, 23.8, false}, {23.9, 13, 23.8, false},
		{0.1, 0, 4.4, true},
		{0, 0, 4.4, false}, // nobody took over
	} {
		h := HandOver{NewHolder: test.newHolder, From: test.from, To: test.to}
		if h.Within() != test.want {
			t.Errorf("%v within %v to %v: %t", test.newHolder, test.from, test.to, h.Within())
		}
	}
}

func TestHandOversOfAReport(t *testing.T) {
	kill := func(round int, newHolder, firstWrite float64, former ...FormerWrite) PointResult {
		return PointResult{Point: Point{Case: "sigkill", Round: round},
			HandOver: &HandOver{NewHolder: newHolder, FirstWrite: firstWrite, From: 13, To: 23.8, Former: former}}
	}
	report := Report{Points: []PointResult{
		kill(1, 18, 19, FormerWrite{Accepted: true}, FormerWrite{Status: 409}),
		{Point: Point{Case: "sigterm"}, HandOver: &HandOver{NewHolder: 1, FirstWrite: 2, To: 4.4}},
		{Point: Point{Case: "lease-partition-4s"}},
		kill(2, 14, 15),
		kill(3, 30, 0),
		kill(4, 0, 0),
	}}
	want := []HandOvers{
		{Case: "sigkill", Runs: 4, NewHolder: []float64{14, 18, 30}, FirstWrite: []float64{15, 19}, From: 13, To: 23.8, Within: 2,
			FormerSent: 2, FormerAccepted: 1},
		{Case: "sigterm", Runs: 1, NewHolder: []float64{1}, FirstWrite: []float64{2}, To: 4.4, Within: 1},
	}
	got := report.HandOvers()
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("- want, + got\n%s", difference)
	}
	if sigkill, sigterm := got[0].formerWrites(), got[1].formerWrites(); sigkill != "2, 1 accepted" || sigterm != "none" {
		t.Errorf("former writes: %q and %q", sigkill, sigterm)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		if got := median(test.sorted); got != test.want {
			t.Errorf("of %v: %v, want %v", test.sorted, got, test.want)
		}
	}
}

func TestInsertKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(0, 100)).Draw(t, "values")
		var sorted []float64
		for _, value := range values {
			sorted = insert(sorted, value)
		}
		if want := slices.Sorted(slices.Values(values)); !slices.Equal(sorted, want) {
			t.Fatalf("got %v, want %v", sorted, want)
		}
	})
}

func TestFormerWritesInExpressions(t *testing.T) {
	var none *HandOver
	if got := none.values(); got == nil || len(got) > 0 {
		t.Errorf("of no hand-over: %v, want an empty list", got)
	}
	one := &HandOver{Former: []FormerWrite{{Request: "POST pods", Object: "a", At: 1.5, Status: 201, Accepted: true}, {}}}
	want := []any{
		map[string]any{"request": "POST pods", "object": "a", "at": 1.5, "status": int64(201), "accepted": true},
		map[string]any{"request": "", "object": "", "at": 0.0, "status": int64(0), "accepted": false},
	}
	if difference := cmp.Diff(want, one.values()); difference != "" {
		t.Error(difference)
	}
}
