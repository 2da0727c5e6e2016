package lab

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAnswers(t *testing.T) {
	colors := Choice{"red", "green"}
	order := Ordering{"a added", "b added", "c added"}
	for _, test := range []struct {
		answer     Answer
		text, want string
		refusal    string // a part of it
	}{
		{Number{}, " 1 ", "1", ""},
		{Number{}, "1.50", "1.5", ""},
		{Number{Unit: "ms"}, "640 ms", "640", ""},
		{Number{Unit: "ms"}, "640ms", "640", ""},
		{Number{Unit: "ms"}, "0.5 s", "", "a number of ms"},
		{Number{}, "many", "", `"many" is not a number`},
		{Number{}, "NaN", "", "not a number"},
		{Number{}, "Inf", "", "not a number"},
		{colors, "b", "green", ""},
		{colors, "Red", "red", ""},
		{colors, "c", "", "a to b"},
		{order, "c a b", "c added, a added, b added", ""},
		{order, "c added, a added, b", "c added, a added, b added", ""},
		{order, "cab", "c added, a added, b added", ""},
		{order, "cabb", "", "every option once"},
		{Choice{"a panic", "nothing"}, "Panic", "a panic", ""},
		{Choice{"a panic", "nothing"}, "a", "a panic", ""},
		{Choice{"a panic", "nothing"}, "the nothing", "nothing", ""},
		{order, "a b", "", "every option once"},
		{order, "a b b", "", "every option once"},
		{order, "a b c d", "", "every option once"},
	} {
		got, err := test.answer.Parse(test.text)
		switch {
		case test.refusal == "" && (err != nil || got != test.want):
			t.Errorf("%#v: %q is %q, %v; want %q", test.answer, test.text, got, err, test.want)
		case test.refusal != "" && (err == nil || !strings.Contains(err.Error(), test.refusal)):
			t.Errorf("%#v: %q is refused with %v; want %q", test.answer, test.text, err, test.refusal)
		}
	}
}

// What was parsed is parsed as itself, so that predictions and measurements can be compared.
func TestWrittenFormIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,8}( [a-z]{3,8})?`), 2, 6, rapid.ID).Draw(t, "options")
		shuffled := rapid.Permutation(options).Draw(t, "shuffled")
		for _, c := range []struct {
			answer Answer
			text   string
		}{
			{Number{Unit: "ms"}, written(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))},
			{Choice(options), shuffled[0]},
			{Ordering(options), inOrder(shuffled)},
		} {
			once, err := c.answer.Parse(c.text)
			if err != nil || once != c.text {
				t.Fatalf("%#v: %q is %q, %v", c.answer, c.text, once, err)
			}
			if !c.answer.Agrees(once, once) {
				t.Fatalf("%#v: %q does not agree with itself", c.answer, once)
			}
		}
	})
}

func TestNumbersAgreeWithinTheirTolerance(t *testing.T) {
	for _, test := range []struct {
		predicted, measured string
		within              float64
		want                bool
	}{
		{"5", "5", 0, true}, {"5", "5.1", 0, false}, {"90", "100", 10, true}, {"110", "100", 10, true}, {"89", "100", 10, false},
		{"5", "", 10, false}, {"", "5", 10, false},
	} {
		if got := (Number{Within: test.within}).Agrees(test.predicted, test.measured); got != test.want {
			t.Errorf("%s for %s within %v: %v", test.predicted, test.measured, test.within, got)
		}
	}
}

func TestMeasurements(t *testing.T) {
	b := NewBench(Lab{Questions: []Question{{Name: "age", Answer: Number{Unit: "s"}}}}, io.Discard)
	b.Measure("count", 2)
	b.Measure("ratio", 1.5)
	b.Measure("gap", 640*time.Millisecond)
	b.Measure("age", time.Minute)
	b.Measure("order", []string{"x", "y"})
	want := []Measurement{{"count", "2", ""}, {"ratio", "1.5", ""}, {"gap", "640", "ms"}, {"age", "60", "s"}, {"order", "x, y", ""}}
	if difference := cmp.Diff(want, b.Measurements()); difference != "" {
		t.Error(difference)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name can be measured twice")
		}
	}()
	b.Measure("count", 3)
}

func TestCompare(t *testing.T) {
	l := Lab{Questions: []Question{
		{Name: "gap", Answer: Number{Unit: "ms"}}, {Name: "late", Answer: Number{}}, {Name: "skipped", Answer: Number{}},
	}}
	measured := []Measurement{{"gap", "5", "ms"}, {"late", "1", ""}, {"skipped", "1", ""}, {"unasked", "1", ""}}
	shuffled := []Measurement{measured[3], measured[1], measured[2], measured[0]}
	got := Compare(l, map[string]Prediction{
		"gap": {Answer: "10"}, "late": {Answer: "1", AfterRun: true}, "unasked": {Answer: "1"},
	}, shuffled)
	want := []Comparison{
		{measured[0], "10 ms", Wrong, false}, {measured[1], "1", Right, true},
		{measured[2], "—", Unpredicted, false}, {measured[3], "—", Unpredicted, false},
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}
