package mutants

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/twinloop/shared/checkout"
)

// TestEveryPatchApplies writes the overlay of every mutant, and finds the checkout as it was.
func TestEveryPatchApplies(t *testing.T) {
	root, err := checkout.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(all(t), noOp(t)) {
		before := map[string]string{}
		for _, change := range m.changes {
			source := filepath.Join(root, change.OldName)
			before[source] = read(t, source)
		}
		file, err := m.Overlay(t.TempDir())
		if err != nil {
			t.Error(err)
			continue
		}
		var overlay struct{ Replace map[string]string }
		if err := json.Unmarshal([]byte(read(t, file)), &overlay); err != nil {
			t.Fatal(err)
		}
		for source, text := range before {
			switch {
			case read(t, source) != text:
				t.Errorf("%s changed %s in the checkout", m.Name, source)
			case read(t, overlay.Replace[source]) == text:
				t.Errorf("%s leaves %s as it is", m.Name, source)
			}
		}
		if len(overlay.Replace) != len(before) {
			t.Errorf("%s replaces %d files, not the %d it changes", m.Name, len(overlay.Replace), len(before))
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

const diffHead = "diff --git a/go.mod b/go.mod\n--- a/go.mod\n+++ b/go.mod\n"

func TestApply(t *testing.T) {
	const hunk = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
	for name, c := range map[string]struct{ source, diff, want, failure string }{
		"in its place":      {source: "a\nb\nc\n", diff: hunk, want: "a\nB\nc\n"},
		"moved":             {source: "x\ny\na\nb\nc\nz\n", diff: hunk, want: "x\ny\na\nB\nc\nz\n"},
		"two hunks":         {source: "a\nb\nc\nd\n", diff: hunk + "@@ -4 +4,2 @@\n d\n+e\n", want: "a\nB\nc\nd\ne\n"},
		"context differs":   {source: "a\nb\nC\n", diff: hunk, failure: "these lines are not there:\na\nb\nc\n"},
		"spaces differ":     {source: "a\nb \nc\n", diff: hunk, failure: "no longer applies"},
		"part of a line":    {source: "aa\nb\nc\n", diff: hunk, failure: "no longer applies"},
		"applied already":   {source: "a\nB\nc\n", diff: hunk, failure: "no longer applies"},
		"there twice":       {source: "a\nb\nc\na\nb\nc\n", diff: hunk, failure: "any of 2 places"},
		"there, overlapped": {source: "a\na\na\n", diff: "@@ -1,2 +1,3 @@\n a\n a\n+b\n", failure: "any of 2 places"},
		"empty source":      {source: "", diff: hunk, failure: "no longer applies"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parse("30-x.patch", []byte(goodFields+diffHead+c.diff))
			if err != nil {
				t.Fatal(err)
			}
			got, err := apply(c.source, m.changes[0].TextFragments)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) {
					t.Errorf("error %v, want one with %q", err, c.failure)
				}
			} else if err != nil || got != c.want {
				t.Errorf("%q, error %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestOverlayNamesThePatch(t *testing.T) {
	for name, diff := range map[string]string{
		"lines that are not there": diffHead + "@@ -1 +1 @@\n-module of somebody else\n+x\n",
		"file that is not there":   strings.ReplaceAll(diffHead, "go.mod", "gone.go") + "@@ -1 +1 @@\n-a\n+b\n",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parse("30-x.patch", []byte(goodFields+diff))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Overlay(t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "30-x.patch: ") {
				t.Errorf("error %v names no patch", err)
			}
		})
	}
}

const goodFields = "# x\n#\n# drill: crash\n# oracle: safe\n# point: a: POST b #1, before\n\n"

func TestBadDiffs(t *testing.T) {
	for name, c := range map[string]struct{ diff, want string }{
		"none":         {"", "no diff follows the header"},
		"cut off":      {diffHead + "@@ -1,3 +1,3 @@\n a\n-b\n", "gitdiff: line"},
		"no file":      {"@@ -1 +1 @@\n-a\n+b\n", "gitdiff: line"},
		"new file":     {"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "x: must change the text"},
		"deleted file": {"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "x: must change the text"},
		"renamed file": {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "must change the text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse("30-x.patch", []byte(goodFields+c.diff))
			if err == nil || !strings.HasPrefix(err.Error(), "30-x.patch: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
