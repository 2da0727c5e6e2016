package labtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/page"
)

func TestUnanswered(t *testing.T) {
	questions := []lab.Question{
		{Name: "gap", Answer: lab.Number{Unit: "ms"}}, {Name: "forgotten", Answer: lab.Number{}},
		{Name: "stuck", Answer: lab.Choice{"yes", "no"}},
	}
	got := unanswered(questions, []lab.Measurement{{Name: "gap", Value: "5", Unit: "ms"}, {Name: "stuck", Value: "perhaps"}})
	want := []string{
		"forgotten is asked about and not measured", "stuck was measured as perhaps, which is no answer to its question",
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

func TestDisagreements(t *testing.T) {
	rows := []page.Row{{Name: "gap", Value: "5 ms"}, {Name: "ratio", Value: "1.7 to 2.3"}, {Name: "gone", Value: "1"}}
	got := disagreements(rows, []lab.Measurement{
		{Name: "gap", Value: "6", Unit: "ms"}, {Name: "ratio", Value: "2"}, {Name: "new", Value: "1"},
	})
	want := []string{
		"gap was measured as 6 ms; the page says 5 ms", "new was measured as 1, and the page does not say so",
		"gone is on the page and was not measured",
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}
