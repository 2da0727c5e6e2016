package cite

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// fakePins pin the module below testdata.
var fakePins = pins{"example.com/lib": {{version: "v1.1.0"}}}

// fakeReader reads the modules below testdata, and a project of one file.
func fakeReader(module string, by pin, path string) ([]byte, error) {
	switch {
	case module != "":
		return readFile(filepath.Join("testdata", "modules", filepath.FromSlash(module)+"@"+by.version), path)
	case path == "own/a.go":
		return []byte("package own\n\nfunc F() {}\n"), nil
	default:
		return nil, fs.ErrNotExist
	}
}

func fakeOwns(path string) bool { return top(path) == "own" }

func TestJudge(t *testing.T) {
	const lib = "example.com/lib@v1.1.0/list.go"
	for name, test := range map[string]struct{ citation, says, moved string }{
		"text":   {lib + ":4 `import \"sync\"`", "", ""},
		"symbol": {lib + ":13#List.Len", "", ""},
		"own":    {"own/a.go:3 `func F()`", "", ""},
		"link":   {"[" + lib + ":13#List.Len](https://example.com/lib/blob/v1.1.0/list.go#L13)", "", ""},

		"wrong line": {lib + ":5 `import \"sync\"`",
			"the text is in line 4: run 'twinloop cite --fix'", lib + ":4"},
		"wrong line of a symbol": {lib + ":14#List.Len",
			"the symbol is in line 13: run 'twinloop cite --fix'", lib + ":13"},
		"line 0":             {lib + ":0 `import \"sync\"`", "the text is in line 4", lib + ":4"},
		"no line yet":        {lib + "#List.Len", "the symbol is in line 13", lib + ":13"},
		"line past the file": {lib + ":99999999999999999999#Some", "the symbol is in line 22", lib + ":22"},
		"own wrong line":     {"own/a.go:2 `func F()`", "the text is in line 3", "own/a.go:3"},
		"link to another line": {"[" + lib + ":13#List.Len](https://example.com/lib/blob/v1.1.0/list.go#L7)",
			"the link goes to another line than 13", lib + ":13"},

		"vanished text":   {lib + ":4 `func Drop()`", "the text `func Drop()` is not in the file: cite what is there now", ""},
		"vanished symbol": {lib + ":4#Drop", "the symbol #Drop is not in the file", ""},
		"own vanished":    {"own/a.go:3 `func G()`", "the text `func G()` is not in the file", ""},
		"text of two lines": {lib + ":12 `Len counts`",
			"the text `Len counts` is in lines 12 and 15: cite more of it", ""},
		"symbol of two lines": {lib + ":27#init", "the symbol #init is in lines 27 and 29: cite more of it", ""},

		"old version": {"example.com/lib@v1.0.0/list.go:6#List.Len",
			"example.com/lib is pinned to v1.1.0 now: the symbol is in line 13: run 'twinloop cite --fix'", lib + ":13"},
		"old version of what vanished": {"example.com/lib@v1.0.0/list.go:4 `func Drop()`",
			"example.com/lib is pinned to v1.1.0 now: the text `func Drop()` is not in the file", ""},
		"no version": {"example.com/lib@main/list.go:13#List.Len", "pinned to v1.1.0 now: the symbol is in line 13", lib + ":13"},
		"unpinned module": {"example.com/other@v1.0.0/list.go:4#Drop",
			"no go.mod of the project requires example.com/other: cite a module that one requires", ""},

		"no such file":       {"example.com/lib@v1.1.0/map.go:4 `func`", "there is no such file: cite one that is there", ""},
		"file is a folder":   {"example.com/lib@v1.1.0/.:4 `func`", "there is no such file", ""},
		"file is outside":    {"example.com/lib@v1.1.0/../lib@v1.0.0/list.go:4 `func Drop()`", "there is no such file", ""},
		"own file was moved": {"own/b.go:3 `func F()`", "there is no such file", ""},
		"nothing":            {lib + ":4", "cites nothing: add the text in quotes, or #Symbol", ""},
		"text is too far":    {lib + ":4, namely `import`", "cites nothing", ""},
		"text never ends":    {lib + ":4 `import\n`", "cites nothing", ""},
		"symbol of no Go": {"example.com/lib@v1.1.0/list.md:1#List",
			"only a Go file has symbols: cite a text in quotes instead of #List", ""},
	} {
		t.Run(name, func(t *testing.T) {
			citations := scan("page.md", []byte(test.citation), fakeOwns)
			if len(citations) != 1 {
				t.Fatalf("%q: found %v", test.citation, citations)
			}
			problem, err := judge(citations[0], fakePins, fakeReader)
			if err != nil {
				t.Fatal(err)
			}
			if problem == nil {
				if test.says != "" {
					t.Errorf("no problem; want %q", test.says)
				}
				return
			}
			moved := ""
			if problem.Moved != nil {
				moved = problem.Moved.String()
			}
			if test.says == "" || !strings.Contains(problem.Says, test.says) || moved != test.moved {
				t.Errorf("%q, moved to %q; want %q, %q", problem.Says, moved, test.says, test.moved)
			}
		})
	}
}

func TestProblemNamesItsPlace(t *testing.T) {
	const page = "One\n\nexample.com/lib@v1.1.0/list.go:5 `import \"sync\"`\n"
	problem, err := judge(scan("docs/x.md", []byte(page), fakeOwns)[0], fakePins, fakeReader)
	const want = "docs/x.md:3: example.com/lib@v1.1.0/list.go:5: the text is in line 4: run 'twinloop cite --fix'"
	if err != nil || problem.String() != want {
		t.Errorf("%v, %v; want %s", problem, err, want)
	}
}

func TestReport(t *testing.T) {
	for want, citations := range map[string][]Citation{
		"0 citations in 0 files: 0 into 0 modules, 0 into the project": nil,
		"1 citation in 1 file: 1 into 1 module, 0 into the project":    {{File: "a.md", Of: Location{Module: "m"}}},
		"4 citations in 2 files: 3 into 2 modules, 1 into the project": {
			{File: "a.md", Of: Location{Module: "m"}}, {File: "a.md", Of: Location{Module: "m"}},
			{File: "b.md", Of: Location{Module: "n"}}, {File: "b.md"},
		},
	} {
		if got := (Report{Citations: citations}).String(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
