package proxy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePlace(t *testing.T) {
	tests := []struct {
		text string
		want Place
		err  string // a part of the error
	}{
		{text: "roll: POST pods #3", want: Place{Step: "roll", Kind: "POST pods", Ordinal: 3}},
		{text: "POST pods #3", want: Place{Kind: "POST pods", Ordinal: 3}},
		{text: "PATCH fleets/status", want: Place{Kind: "PATCH fleets/status"}},
		{text: "watch pods", want: Place{Kind: "WATCH pods"}},
		{text: "scale up: delete pods", want: Place{Step: "scale up", Kind: "DELETE pods"}},
		{text: "get /healthz", want: Place{Kind: "GET /healthz"}},
		{text: "", err: "begin with one of GET, LIST"},
		{text: "roll", err: "begin with one of GET, LIST"},
		{text: "roll: #3", err: "begin with one of GET, LIST"},
		{text: "MERGE pods", err: "begin with one of GET, LIST"},
		{text: "POST", err: "one resource after the verb"},
		{text: "POST a pod", err: "one resource after the verb"},
		{text: "POST pods #0", err: "number from 1"},
		{text: "POST pods #-1", err: "number from 1"},
		{text: "POST pods #3, after", err: "number from 1"},
	}
	for _, test := range tests {
		got, err := ParsePlace(test.text)
		switch {
		case test.err == "" && err != nil:
			t.Errorf("%q: %v", test.text, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.err)
		case got != test.want:
			t.Errorf("%q: %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestPlaceTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		verb := rapid.SampledFrom(kindVerbs).Draw(t, "verb")
		resource := rapid.StringMatching(`[a-z]+(/[a-z]+)?`).Draw(t, "resource")
		place := Place{
			Step:    rapid.StringMatching(`([a-z][a-z0-9 -]*)?`).Draw(t, "step"),
			Kind:    Kind(verb + " " + resource),
			Ordinal: rapid.IntRange(0, 1<<30).Draw(t, "ordinal"),
		}
		got, err := ParsePlace(place.String())
		if err != nil || got != place {
			t.Fatalf("%q reads as %+v, error %v", place, got, err)
		}
		if !got.Covers(place) {
			t.Fatalf("%+v does not cover itself", place)
		}
	})
}

func TestPlaceCovers(t *testing.T) {
	here := Place{Step: "roll", Kind: "POST pods", Ordinal: 3}
	tests := []struct {
		pattern Place
		want    bool
	}{
		{Place{}, true},
		{Place{Kind: "POST pods"}, true},
		{Place{Step: "roll"}, true},
		{Place{Ordinal: 3}, true},
		{here, true},
		{Place{Step: "create", Kind: "POST pods", Ordinal: 3}, false},
		{Place{Kind: "DELETE pods"}, false},
		{Place{Kind: "POST pods", Ordinal: 2}, false},
	}
	for _, test := range tests {
		if got := test.pattern.Covers(here); got != test.want {
			t.Errorf("%+v covers %v: %v, want %v", test.pattern, here, got, test.want)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add("roll: POST pods #3")
	f.Add(": : # #")
	f.Add("watch pods")
	f.Fuzz(func(t *testing.T, text string) {
		place, err := ParsePlace(text)
		if err != nil {
			return
		}
		if again, err := ParsePlace(place.String()); err != nil || again != place {
			t.Errorf("%q reads as %+v, which reads as %+v, error %v", text, place, again, err)
		}
	})
}
