package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/twinloop/labs/lab"
)

const sample = "# 6. A title\n\n**Claim.** A workqueue holds keys; `one two three` is code that is not broken.\n\n" +
	"- first item, which is so long that it has to be wrapped\n- second\n\n" +
	"| measured | value | because |\n|---|---|---|\n" +
	"| `gap-1` | 5 ms | it is the base delay and this cell is too long for a line |\n" +
	"| ratio | 1.7 to 2.3 | |\n\n```sh\ntwinloop lab run 6   # is kept as it is, however long the line may be\n```\n"

func TestRender(t *testing.T) {
	want := `6. A title

**Claim.** A workqueue holds keys;
` + "`one two three`" + ` is code that is not
broken.

- first item, which is so long that it
  has to be wrapped
- second

measured  value       because
` + "`gap-1`" + `   5 ms        it is the base delay
                      and this cell is too
                      long for a line
ratio     1.7 to 2.3

    twinloop lab run 6   # is kept as it is, however long the line may be
`
	if difference := cmp.Diff(want, Render(sample, 40, false)); difference != "" {
		t.Error(difference)
	}
}

func TestRenderInColor(t *testing.T) {
	got := Render("# Title\n**Claim.** `key`\n", 80, true)
	if want := "\x1b[1mTitle\x1b[0m\n\x1b[1mClaim.\x1b[0m \x1b[36mkey\x1b[0m\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nothing of any text is lost, and it always ends.
func TestRenderKeepsEveryWord(t *testing.T) {
	piece := rapid.SampledFrom([]string{"word", "`a b`", "**", "# ", "| x |", "|", "|---|", "```", "\n", "\n\n", "- ", "1. ", " "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		got := Render(text, rapid.IntRange(0, 60).Draw(t, "width"), false)
		if want := strings.Count(text, "word"); !strings.Contains(text, "```") && strings.Count(got, "word") != want {
			t.Fatalf("%q has %d words:\n%s", text, want, got)
		}
	})
}

func TestMeasured(t *testing.T) {
	rows, err := Measured(sample)
	if difference := cmp.Diff([]Row{{"gap-1", "5 ms"}, {"ratio", "1.7 to 2.3"}}, rows); difference != "" || err != nil {
		t.Error(err, difference)
	}
	if _, err := Measured("| name | value |\n|---|---|\n| x | 1 |\n"); err == nil {
		t.Error("a page without a table of measurements is accepted")
	}
}

func TestAdmits(t *testing.T) {
	for _, test := range []struct {
		row, value, unit string
		want             bool
	}{
		{"5 ms", "5", "ms", true}, {"5 ms", "6", "ms", false}, {"5 ms", "5", "s", false}, {"5", "5", "ms", false},
		{"1.7 to 2.3", "2", "", true}, {"1.7 to 2.3", "2.31", "", false}, {"1 to 5 ms", "5", "ms", true},
		{"yes", "yes", "", true}, {"yes", "no", "", false}, {"a, b", "b, a", "", false}, {"1 to 2", "one", "", false},
	} {
		if got := (Row{"x", test.row}).Admits(lab.Measurement{Name: "x", Value: test.value, Unit: test.unit}); got != test.want {
			t.Errorf("%q admits %s %s: %v", test.row, test.value, test.unit, got)
		}
	}
}
