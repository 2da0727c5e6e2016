package cite

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"pgregory.net/rapid"
)

func TestCitationsOfTheProject(t *testing.T) {
	report, err := Check(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range report.Problems {
		t.Error(problem)
	}
	if !slices.ContainsFunc(report.Citations, func(c Citation) bool { return c.Of.Module == "k8s.io/kubernetes" }) {
		t.Errorf("%s, and none into Kubernetes", report)
	}
}

// files writes files into a new folder, and opens it as a project that may read the modules below testdata.
func files(t *testing.T, contents map[string]string) (project, reader) {
	t.Helper()
	root := t.TempDir()
	for name, content := range contents {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := open(root, slices.Collect(maps.Keys(contents)))
	if err != nil {
		t.Fatal(err)
	}
	return p, func(module string, by pin, path string) ([]byte, error) {
		if module == "" {
			return p.read(path)
		}
		return fakeReader(module, by, path)
	}
}

const gomod = "module example.com/project\nrequire example.com/lib v1.1.0\n"

func TestFix(t *testing.T) {
	p, read := files(t, map[string]string{
		"go.mod": gomod,
		"docs/moved.md": "[`example.com/lib@v1.0.0/list.go:7`](https://example.com/v1.0.0/list.go#L7) `Len() int { return`\n" +
			"and own/a.go:1 `func F()`, but example.com/lib@v1.0.0/list.go:4#Drop; example.com/lib@v1.1.0/list.go#Some\n",
		"docs/true.md": "example.com/lib@v1.1.0/list.go:13#List.Len\n",
		"own/a.go":     "package own\n\n// F is what own/a.go:1\n// `func F()` is.\nfunc F() {}\n",
	})
	moved, kept := filepath.Join(p.root, "docs/moved.md"), filepath.Join(p.root, "docs/true.md")
	if err := os.Chmod(moved, 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(kept)
	if err != nil {
		t.Fatal(err)
	}

	solved, left, err := p.fix(read)
	if err != nil {
		t.Fatal(err)
	}
	if len(solved) != 4 || len(left.Problems) != 1 || left.Problems[0].Symbol != "Drop" || left.Problems[0].Moved != nil {
		t.Errorf("solved %v, left %v", solved, left.Problems)
	}
	want := map[string]string{
		"docs/moved.md": "[`example.com/lib@v1.1.0/list.go:13`](https://example.com/v1.1.0/list.go#L13) `Len() int { return`\n" +
			"and own/a.go:5 `func F()`, but example.com/lib@v1.0.0/list.go:4#Drop; example.com/lib@v1.1.0/list.go:22#Some\n",
		"own/a.go": "package own\n\n// F is what own/a.go:5\n// `func F()` is.\nfunc F() {}\n",
	}
	for name, content := range want {
		got, err := readFile(p.root, name)
		if difference := cmp.Diff(content, string(got)); err != nil || difference != "" {
			t.Errorf("%s: %v %s", name, err, difference)
		}
	}
	if info, err := os.Stat(moved); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if after, err := os.Stat(kept); err != nil || !os.SameFile(before, after) {
		t.Errorf("a file was replaced in which nothing changed (%v)", err)
	}
	if entries, err := os.ReadDir(filepath.Join(p.root, "docs")); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Wherever lines come and go in a cited file, its citations follow, and nothing else changes.
func TestCitationsFollow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		count := rapid.IntRange(1, 8).Draw(rt, "count")
		shifts := rapid.SliceOfN(rapid.IntRange(0, 3), count, count).Draw(rt, "shifts")
		var cited, page strings.Builder
		for i, shift := range shifts {
			cited.WriteString(strings.Repeat("between\n", shift))
			fmt.Fprintf(&cited, "line <%d>\n", i)
			fmt.Fprintf(&page, "*own/a.txt:%d \"<%d>\"*", rapid.IntRange(0, 9).Draw(rt, "line"), i)
			page.WriteString(rapid.SampledFrom([]string{" ", "\n", "\r\n", ", own/a.txt:3: ", " `own/a.txt` "}).Draw(rt, "after"))
		}
		content := page.String()
		read := func(string, pin, string) ([]byte, error) { return []byte(cited.String()), nil }
		p := project{tops: map[string]bool{"own": true}}

		problems, err := p.judge(p.scan("a.md", []byte(content)), read)
		if err != nil {
			rt.Fatal(err)
		}
		rewritten := rewrite([]byte(content), problems)
		left, err := p.judge(p.scan("a.md", rewritten), read)
		if err != nil || len(left) > 0 || len(p.scan("a.md", rewritten)) != count {
			rt.Errorf("%s: %v, %v", rewritten, left, err)
		}
		if withoutLines(content) != withoutLines(string(rewritten)) {
			rt.Errorf("%q became %q", content, rewritten)
		}
		if again := rewrite(rewritten, left); !bytes.Equal(again, rewritten) {
			rt.Errorf("%q became %q", rewritten, again)
		}
	})
}

// withoutLines drops what --fix may change.
func withoutLines(content string) string {
	return location.ReplaceAllStringFunc(content, func(word string) string {
		before, _, _ := strings.Cut(word, ":")
		return before
	})
}

func TestWhereCitationsAre(t *testing.T) {
	const citation = "example.com/lib@v1.1.0/list.go:4#List\n"
	p, _ := files(t, map[string]string{
		"go.mod":            gomod,
		"a.md":              citation,
		"b.yaml":            "# " + citation,
		"c.go":              "// " + citation + "package c\n",
		"d.txt":             citation,
		"testdata/e.md":     citation,
		"f/testdata/g/h.md": citation,
		"testdata/go.mod":   "no go.mod",
		"i.go":              "// Code generated by hand. DO NOT EDIT.\n\n// " + citation + "package i\n",
		"j.md":              "# J\n\n<!-- Written by `twinloop diff`. -->\n" + citation,
		"k.yaml":            "metadata:\n  annotations:\n    controller-gen.kubebuilder.io/version: v1\n    # " + citation,
		"gone.md":           citation,
	})
	if err := os.Remove(filepath.Join(p.root, "gone.md")); err != nil {
		t.Fatal(err)
	}
	var found []string
	err := p.each(func(name string, content []byte) error {
		for range p.scan(name, content) {
			found = append(found, name)
		}
		return nil
	})
	if want := []string{"a.md", "b.yaml", "c.go"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%v, %v; want %v", found, err, want)
	}
}

// A module that is not in the module cache is fetched, and told of.
func TestFetch(t *testing.T) {
	const mod, version = "example.com/Lib", "v1.0.0"
	proxy, root := t.TempDir(), t.TempDir()
	versions := filepath.Join(proxy, "example.com", "!lib", "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	source := "testdata/modules/example.com/lib@v1.0.0"
	if err := zip.CreateFromDir(&archive, module.Version{Path: mod, Version: version}, source); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		filepath.Join(versions, version+".info"): `{"Version":"` + version + `"}`,
		filepath.Join(versions, version+".mod"):  "module " + mod + "\n",
		filepath.Join(versions, version+".zip"):  archive.String(),
		filepath.Join(root, "go.mod"):            "module example.com/project\n\nrequire " + mod + " " + version + "\n",
	} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"GOPROXY": "file://" + filepath.ToSlash(proxy), "GONOSUMDB": "*", "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw",
	} {
		t.Setenv(name, value)
	}
	p, err := open(root, []string{"go.mod"})
	if err != nil {
		t.Fatal(err)
	}
	var progress bytes.Buffer
	read, err := p.reader(t.Context(), &progress)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		content, err := read(mod, pin{version, "."}, "list.go")
		if err != nil || !strings.Contains(string(content), "func Drop()") {
			t.Errorf("%s, %v", content, err)
		}
	}
	if want := "fetching example.com/Lib@v1.0.0\n"; progress.String() != want {
		t.Errorf("said %q; want %q once", progress.String(), want)
	}
	if _, err := read(mod, pin{version, "."}, "map.go"); err != fs.ErrNotExist {
		t.Errorf("a file that is not there: %v", err)
	}
	_, err = read(mod, pin{"v1.0.1", "."}, "list.go")
	if err == nil || !strings.Contains(err.Error(), "cannot fetch the module example.com/Lib@v1.0.1") {
		t.Errorf("a version that cannot be fetched: %v", err)
	}
}
