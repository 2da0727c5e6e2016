package drill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.com/twinloop/chaos/proxy"
)

// wrote is a run without a fault in which these writes were made.
func wrote(places ...proxy.Place) *Recording {
	var run Recording
	for _, place := range places {
		run.Exchanges = append(run.Exchanges, Exchange{1, proxy.Exchange{Request: proxy.Request{Verb: "create", Resource: "pods"}, Place: place}})
	}
	return &run
}

func TestReferenceKeepsWhatEveryRunWrites(t *testing.T) {
	first := proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: 1}
	second := proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: 2}
	report := proxy.Place{Step: "roll", Kind: "PUT fleets/status", Ordinal: 1}
	late := proxy.Place{Step: "roll", Kind: "PUT fleets/status", Ordinal: 2}
	r := newReference([]*Recording{wrote(first, report, second), wrote(second, first, late), wrote(first, second)}, nil)
	if want := []proxy.Place{first, second}; !slices.Equal(r.stable, want) {
		t.Errorf("every run wrote %v, want %v", r.stable, want)
	}
	if want := []proxy.Place{report, late}; !slices.Equal(r.unstable, want) {
		t.Errorf("some runs wrote %v, want %v", r.unstable, want)
	}
	for text, want := range map[string]bool{
		"roll: POST pods #2, after":                                      true,
		"roll: PUT fleets/status #2, after":                              true,
		"roll: PUT fleets/status #3, after":                              false,
		"roll: POST pods #1, after; roll again: PUT fleets #7, before":   true,
		"roll: DELETE pods #1, before; roll again: POST pods #1, before": false,
		"sigkill #2": true,
	} {
		if r.reached(parsePoints(t, text)) != want {
			t.Errorf("reached %s: %v, want %v", text, !want, want)
		}
	}
}

// endsIn is a run without a fault that ends with so many pods of one content.
func endsIn(content string, pods int) *Recording {
	v := view{objects: map[string][]any{"pods": {}}}
	for i := range pods {
		pod := podsAndRecords("ns", fmt.Sprint("p", i), "u", "1", "2026-01-02T03:04:05Z", "10.0.0.1").objects["pods"][0].(map[string]any)
		pod["spec"] = map[string]any{"drawn": content}
		v.objects["pods"] = append(v.objects["pods"], pod)
	}
	return &Recording{Steps: []StepRecord{{Name: "roll", snapshot: takeSnapshot("ns", v, nil), survivors: survivors{"pods": pods}}}}
}

// One run that loses a pod is not what the others are compared with, whichever of them it is.
func TestReferenceIsWhatMostRunsComeTo(t *testing.T) {
	lost, one, other := endsIn("a", 1), endsIn("a", 2), endsIn("a", 2)
	for _, runs := range [][]*Recording{{lost, one, other}, {one, lost, other}, {one, other, lost}} {
		r := newReference(runs, nil)
		if r.Recording != one || !slices.Equal(r.agreeing, []*Recording{one, other}) || !slices.Equal(r.others, []*Recording{lost}) {
			t.Errorf("%d agree, %d do not", len(r.agreeing), len(r.others))
		}
		if finding := r.finalState(lost); finding.Oracle != FinalState || finding.step != "roll" {
			t.Errorf("of the run that lost a pod: %+v", finding)
		}
		if finding := r.finalState(other); finding.Text != "" {
			t.Errorf("of one that agrees: %s", finding.Text)
		}
		if r.survivors["roll"]["pods"] != 2 {
			t.Errorf("%d pods outlive the step", r.survivors["roll"]["pods"])
		}
	}
}

func TestFirstWatches(t *testing.T) {
	watching := func(kinds ...proxy.Kind) *Recording {
		run := endsIn("a", 1)
		run.Steps[0].watches = map[proxy.Kind]bool{}
		for _, kind := range kinds {
			run.Steps[0].watches[kind] = true
		}
		return run
	}
	r := newReference([]*Recording{watching("WATCH pods", "WATCH fleets"), watching("WATCH pods")}, nil)
	if got := r.firstWatches(); len(got) != 1 || !got["WATCH pods"] {
		t.Errorf("got %v", got)
	}
	var none *reference
	if got := none.firstWatches(); len(got) != 0 {
		t.Errorf("got %v without a reference", got)
	}
}

func TestAtOnce(t *testing.T) {
	var mu sync.Mutex
	var done []int
	failure := errors.New("the third fails")
	err := atOnce(t.Context(), 1, 5, func(_ context.Context, i int) error {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, i)
		if i == 2 {
			return failure
		}
		return nil
	})
	if !errors.Is(err, failure) || !slices.Equal(done, []int{0, 1, 2}) {
		t.Errorf("did %v, and then %v", done, err)
	}
}
