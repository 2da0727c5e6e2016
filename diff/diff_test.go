package diff

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentIsUpToDate(t *testing.T) {
	if err := Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Each of these is a way in which the document and what it is about can part. Each is found, and its place named.
func TestPartings(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*sources)
		says   string
	}{
		"a row is gone": {
			func(s *sources) { s.judgements = without(t, s.judgements, "- path: Dockerfile\n") },
			"kubebuilder/Dockerfile: scaffolded, but has no row",
		},
		"a row too many": {
			func(s *sources) {
				s.judgements += "- {path: config/crd/kustomization.yaml, verdict: adds, does: lists them}\n"
			},
			"kubebuilder/config/crd/kustomization.yaml: has a row in diff/judgements.yaml, but is not scaffolded",
		},
		"one more option to kubebuilder": {
			func(s *sources) {
				s.judgements = strings.Replace(s.judgements, "- init ", "- init --owner Somebody ", 1)
			},
			"docs/diff.md:",
		},
		"a cited line is gone": {
			func(s *sources) { s.template += `{{cite "handwired/run.go" "no such line"}}` },
			`handwired/run.go: no line holds "no such line"`,
		},
		"prose that was not written out": {
			func(s *sources) { s.template = strings.Replace(s.template, "## What", "## So what", 1) },
			"docs/diff.md:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := checkedOut()
			if err != nil {
				t.Fatal(err)
			}
			test.change(&s)
			err = s.check(t.Context())
			var problems Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v; want a problem that says %q", err, test.says)
			}
		})
	}
}

// without drops an item of a list in YAML, from its first line to the next item.
func without(t *testing.T, document, firstLine string) string {
	t.Helper()
	before, after, found := strings.Cut(document, firstLine)
	if !found {
		t.Fatalf("no %q", firstLine)
	}
	_, next, _ := strings.Cut(after, "\n- ")
	return before + "- " + next
}

func TestResolve(t *testing.T) {
	root := t.TempDir()
	const text = "package a\n\nfunc f() {\n\tg()\n}\n\nfunc g() {\n\tg()\n}\n"
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		of   citation
		link string
	}{
		{citation{File: "a.go"}, "[a.go](../a.go)"},
		{citation{File: "a.go", From: "func f()"}, "[a.go:3](../a.go#L3)"},
		{citation{File: "a.go", From: "func f()", To: "g()"}, "[a.go:3-4](../a.go#L3-L4)"},
		{citation{File: "a.go", From: "func g()", To: "}"}, "[a.go:7-9](../a.go#L7-L9)"},
	} {
		at, err := test.of.resolve(root)
		if err != nil || at.link() != test.link {
			t.Errorf("%+v: %s, %v; want %s", test.of, at.link(), err, test.link)
		}
	}
	for _, test := range []struct {
		of   citation
		says string
	}{
		{citation{File: "b.go"}, "b.go"},
		{citation{File: "a.go", From: "func h()"}, `no line holds "func h()"`},
		{citation{File: "a.go", From: "\tg()"}, "is in line 4 and again in line 8"},
		{citation{File: "a.go", From: "func f()", To: "return"}, `no line after 3 holds "return"`},
	} {
		if _, err := test.of.resolve(root); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v; want %q", test.of, err, test.says)
		}
	}
}

// A citation moves with what it cites, so a file that grew by a line shows in the document.
func TestOutOfDate(t *testing.T) {
	for _, test := range []struct{ have, want, says string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nrun.go:41\n", "a\nrun.go:42\n", `docs/diff.md:2: out of date: this line should be "run.go:42"`},
		{"a\n", "a\nb\n", `docs/diff.md:2: out of date: this line should be "b"`},
		{"a\nb\nc\n", "a\nb\n", `docs/diff.md:3: out of date: this line should be ""`},
		{"a\nb", "a", "docs/diff.md:2: out of date: the document should end here"},
	} {
		if got := outOfDate("docs/diff.md", test.have, test.want); !strings.HasPrefix(got, test.says) || (got == "") != (test.says == "") {
			t.Errorf("%q for %q: %q; want %q", test.have, test.want, got, test.says)
		}
	}
}

func TestReadJudgements(t *testing.T) {
	for name, test := range map[string]struct{ content, says string }{
		"unknown field":    {"files: [{path: a, does: b, verdict: adds, lines: 3}]", "lines"},
		"no path":          {"files: [{does: b, verdict: adds}]", "files[0] needs a path"},
		"judged twice":     {"files: [{path: a, does: b, verdict: adds}, {path: a, does: b, verdict: adds}]", "a is judged twice"},
		"unknown verdict":  {"files: [{path: a, does: b, verdict: improves}]", `not "improves"`},
		"nothing replaced": {"files: [{path: a, does: b, verdict: replaces}]", "a has something by hand if"},
		"adds what is":     {"files: [{path: a, does: b, verdict: adds, byHand: [{file: c}]}]", "a has something by hand if"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readJudgements(test.content); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v; want %q", err, test.says)
			}
		})
	}
}

func TestWithComparison(t *testing.T) {
	const frame = "a\n<!-- docs/comparison.md -->\n%s<!-- end -->\nb\n"
	got, err := withComparison(fmt.Sprintf(frame, "| 1 |\n"), "| 2 |\n")
	if want := fmt.Sprintf(frame, "| 2 |\n"); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := withComparison("a\nb\n", "| 2 |\n"); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Errorf("without a place for it: %v", err)
	}
}

func TestLinesRow(t *testing.T) {
	const table = "| | handwired | kubebuilder | somebody else's |\n|---|---:|---:|---:|\n"
	row := linesRow(table, map[string]int{"handwired": 3, "kubebuilder": 2})
	if want := "| lines of Go written by hand | 3 | 2 | |\n"; row != want {
		t.Errorf("got %q, want %q", row, want)
	}
}
