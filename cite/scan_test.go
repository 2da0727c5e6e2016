package cite

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	const at = "example.com/lib@v1.1.0/list.go:4"
	for name, test := range map[string]struct {
		file, content string
		want          []string // the line in the content, the location, what is cited
	}{
		"text in backquotes":     {"a.md", at + " `type List`", []string{"1 " + at + " `type List`"}},
		"text in double quotes":  {"a.md", at + " \"`json`\"", []string{"1 " + at + " \"`json`\""}},
		"symbol":                 {"a.md", "See " + at + "#List.Len.", []string{"1 " + at + " #List.Len"}},
		"location in backquotes": {"a.md", "(`" + at + "` `List`)", []string{"1 " + at + " `List`"}},
		"link":                   {"a.md", "[" + at + "](https://example.com#L4) `List`", []string{"1 " + at + " `List`"}},
		"link in backquotes":     {"a.md", "[`" + at + "`](../list.go) `List`", []string{"1 " + at + " `List`"}},
		"broken line":            {"a.md", "\n" + at + "\n  `List`", []string{"2 " + at + " `List`"}},
		"two in a line":          {"a.md", at + " `A` and " + at + "#B", []string{"1 " + at + " `A`", "1 " + at + " #B"}},
		"upper case, incompatible": {"a.md", "example.com/A/b@v2.0.0+incompatible/c.go:1#D",
			[]string{"1 example.com/A/b@v2.0.0+incompatible/c.go:1 #D"}},
		"yaml":                   {"a.yaml", "a: 1 # " + at + "\n  # `List`\n", []string{"1 " + at + " `List`"}},
		"comment":                {"a.go", "package a\n\n// " + at + " `List`\n", []string{"3 " + at + " `List`"}},
		"comment of two lines":   {"a.go", "package a\n\n\t// " + at + "\n\t// `List`\n", []string{"3 " + at + " `List`"}},
		"comment in stars":       {"a.go", "package a\n\n/* " + at + "\n * `List` */\n", []string{"3 " + at + " `List`"}},
		"comment with CR":        {"a.go", "// " + at + "\r\n// `List`\r\npackage a", []string{"1 " + at + " `List`"}},
		"string in Go":           {"a.go", "package a\n\nconst s = \"" + at + "#List\"\n", nil},
		"text outside a comment": {"a.go", "package a\n\n// " + at + "\nvar `List`\n", []string{"3 " + at + " "}},
		"own":                    {"a.md", "own/a.go:3 `f`, own/a.go:4#F", []string{"1 own/a.go:3 `f`", "1 own/a.go:4 #F"}},
		"own, nothing cited":     {"a.md", "own/a.go:3: undefined: x; own/a.go:3:5 `x`; own/a.go `x`", nil},
		"own, elsewhere":         {"a.md", "other/a.go:3 `f`, ./own/a.go:3 `f`, /own/a.go:3 `f`, 10:30 `f`", nil},
		"own link to a heading":  {"a.md", "own/a.md#heading", nil},
		"module, not a line":     {"a.md", "example.com/lib@v1.1.0, example.com/lib@v1.1.0/list.go `x`", nil},
		"URL":                    {"a.md", "https://example.com/lib@v1.1.0/list.go:4#List", nil},
		"path of a machine":      {"a.md", "/root/go/pkg/mod/" + at + " +0x1d", nil},
		"action, not a module":   {"a.yaml", "uses: actions/checkout@v4/a.yml:3", nil},
		"a citation in another": {"a.md", "[" + at + "#A](" + at + "#L4) " + at + " `own/a.go:3 \"f\"`",
			[]string{"1 " + at + " #A", "1 " + at + " `own/a.go:3 \"f\"`"}},
		"two breaks are too many": {"a.md", at + "\n\n`List`", []string{"1 " + at + " "}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range scan(test.file, []byte(test.content), fakeOwns) {
				got = append(got, fmt.Sprintf("%d %s %s", c.Line, c.Of, c.Cited()))
			}
			if difference := cmp.Diff(test.want, got); difference != "" {
				t.Error(difference)
			}
		})
	}
}

// What is found in a file is there, and the file can be written with all of it moved, and back.
func FuzzScan(f *testing.F) {
	f.Add(true, "package a\n// example.com/lib@v1.1.0/list.go:4\n// `List`\n")
	f.Add(true, "package a\r\n/* own/a.go:3 \"f\"\r\n*/ const s = `//`")
	f.Add(false, "[`example.com/lib@v1.1.0/list.go:4#A.B`](https://example.com/v1.1.0/list.go#L4), own/a.go:3 `f`")
	f.Add(false, "[example.com/lib@v1/a.go:4#B](example.com/lib@v1/a.go:4#L4) own/a.go:3 `own/a.go:4#F`")
	f.Fuzz(func(t *testing.T, isGo bool, content string) {
		name := "a.md"
		if isGo {
			name = "a.go"
		}
		if isGo && len(comments([]byte(content))) != len(content) {
			t.Fatal("comments are not as long as the file")
		}
		var moved []Problem
		for _, c := range scan(name, []byte(content), fakeOwns) {
			for _, part := range []struct {
				at   span
				text string
			}{{c.at.version, c.Of.Version}, {c.at.target, c.target}, {c.at.text, c.Text}} {
				if content[part.at.begin:part.at.end] != part.text {
					t.Errorf("%v is %q, not %q", part.at, content[part.at.begin:part.at.end], part.text)
				}
			}
			to := c.Of
			to.Line = 987654321
			moved = append(moved, Problem{Citation: c, Moved: &to})
		}
		rewritten := rewrite([]byte(content), moved)
		if bytes.Count(rewritten, []byte("\n")) != bytes.Count([]byte(content), []byte("\n")) ||
			utf8.ValidString(content) && !utf8.Valid(rewritten) {
			t.Errorf("%q became %q", content, rewritten)
		}
		again := scan(name, rewritten, fakeOwns)
		if len(again) != len(moved) || slices.ContainsFunc(again, func(c Citation) bool { return c.Of.Line != 987654321 }) {
			t.Errorf("%q became %q", content, rewritten)
		}
	})
}
