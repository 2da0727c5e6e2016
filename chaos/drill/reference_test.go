package drill

import (
	"context"
	"errors"
	"slices"
	"strings"
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
	r, err := newReference([]*Recording{wrote(first, report, second), wrote(second, first, late), wrote(first, second)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []proxy.Place{first, second}; !slices.Equal(r.steady, want) {
		t.Errorf("every run wrote %v, want %v", r.steady, want)
	}
	if want := []proxy.Place{report, late}; !slices.Equal(r.occasional, want) {
		t.Errorf("some runs wrote %v, want %v", r.occasional, want)
	}
	for text, want := range map[string]bool{
		"roll: POST pods #2, after":                                      true,
		"roll: PUT fleets/status #2, after":                              true,
		"roll: PUT fleets/status #3, after":                              false,
		"roll: POST pods #1, after; roll again: PUT fleets #7, before":   true,
		"roll: DELETE pods #1, before; roll again: POST pods #1, before": false,
		"sigkill #2": true,
	} {
		if r.cameBy(parsePoints(t, text)) != want {
			t.Errorf("came by %s: %v, want %v", text, !want, want)
		}
	}
}

// Where one undisturbed run ends elsewhere than another, every fault would be blamed for it.
func TestReferenceOfRunsThatDiffer(t *testing.T) {
	ended := func(version string) *Recording {
		v := podsAndRecords("ns", "a", "u", version, "2026-01-02T03:04:05Z", "10.0.0.1")
		v.objects["pods"][0].(map[string]any)["spec"] = map[string]any{"drawn": version}
		return &Recording{Steps: []StepRecord{{Name: "roll", snapshot: takeSnapshot("ns", v, nil)}}}
	}
	if _, err := newReference([]*Recording{ended("1"), ended("1")}, nil); err != nil {
		t.Errorf("of two that are alike: %v", err)
	}
	_, err := newReference([]*Recording{ended("1"), ended("1"), ended("2")}, nil)
	if err == nil || !strings.Contains(err.Error(), "come to different places: name under ignore what may differ, or await more; after step roll") {
		t.Errorf("got %v", err)
	}
	_, err = newReference([]*Recording{ended("1"), ended("2")}, ignoring(t, "spec.darwn"))
	if err == nil || !strings.Contains(err.Error(), "ignored are fields that there are not: spec.darwn; after step roll") {
		t.Errorf("of a path that is misspelt: %v", err)
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
