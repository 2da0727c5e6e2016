package diff

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"example.com/twinloop/shared/checkout"
)

// Path is the document's, relative to the checkout.
const Path = "docs/diff.md"

// Problems are what somebody has to mend, a line each, which names the place.
type Problems []string

func (p Problems) Error() string { return strings.Join(p, "\n") }

// sources are what the document is made of.
type sources struct {
	root                 string
	judgements, template string
}

func checkedOut() (sources, error) {
	root, err := checkout.Root()
	if err != nil {
		return sources{}, err
	}
	judged, err := os.ReadFile(filepath.Join(root, "diff", "judgements.yaml"))
	if err != nil {
		return sources{}, err
	}
	prose, err := os.ReadFile(filepath.Join(root, "diff", "diff.md.tmpl"))
	return sources{root: root, judgements: string(judged), template: string(prose)}, err
}

// Write makes the document anew, and puts the measurements into README.md. The error is of type Problems when that cannot
// be made of what the checkout holds.
func Write(ctx context.Context) error {
	s, err := checkedOut()
	if err != nil {
		return err
	}
	files, err := s.render(ctx)
	if err != nil {
		return err
	}
	for path, content := range files {
		if err := os.WriteFile(filepath.Join(s.root, path), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Check returns Problems, too, when a file is not what Write would make of it now.
func Check(ctx context.Context) error {
	s, err := checkedOut()
	if err != nil {
		return err
	}
	return s.check(ctx)
}

func (s sources) check(ctx context.Context) error {
	files, err := s.render(ctx)
	if err != nil {
		return err
	}
	var problems Problems
	for _, path := range slices.Sorted(maps.Keys(files)) {
		have, err := os.ReadFile(filepath.Join(s.root, path))
		if os.IsNotExist(err) {
			problems = append(problems, path+": missing; run `twinloop diff`")
			continue
		}
		if err != nil {
			return err
		}
		if problem := outOfDate(path, string(have), files[path]); problem != "" {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// outOfDate names the first line that differs; it is empty if none does.
func outOfDate(path, have, want string) string {
	if have == want {
		return ""
	}
	haveLines, wantLines := strings.Split(have, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(haveLines) && i < len(wantLines) && haveLines[i] == wantLines[i] {
		i++
	}
	should := "the document should end here"
	if i < len(wantLines) {
		should = fmt.Sprintf("this line should be %q", wantLines[i])
	}
	return fmt.Sprintf("%s:%d: out of date: %s; run `twinloop diff`, and read what it changes", path, i+1, should)
}

// render makes the document, and README.md with the measurements; both by their paths in the checkout.
func (s sources) render(ctx context.Context) (map[string]string, error) {
	j, err := readJudgements(s.judgements)
	if err != nil {
		return nil, err
	}
	c, problems, err := compare(ctx, s.root, j)
	if err != nil {
		return nil, err
	}
	measured, err := c.measured(s.root)
	if err != nil {
		return nil, err
	}
	parsed, err := template.New("diff.md.tmpl").Funcs(template.FuncMap{
		"cite": func(file string, texts ...string) string {
			at, err := citationOf(file, texts).resolve(s.root)
			if err != nil {
				problems = append(problems, "diff/diff.md.tmpl: "+err.Error())
			}
			return at.link()
		},
		"measured": func() string { return strings.TrimSuffix(measured, "\n") },
	}).Parse(s.template)
	if err != nil {
		return nil, err
	}
	var document strings.Builder
	if err := parsed.Execute(&document, c); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	readme, err := os.ReadFile(filepath.Join(s.root, readmePath))
	if err != nil {
		return nil, err
	}
	shown, err := withComparison(string(readme), measured)
	return map[string]string{Path: document.String(), readmePath: shown}, err
}

// citationOf is of a file, of the line that holds the first text, or of the lines from there to the second.
func citationOf(file string, texts []string) citation {
	c := citation{File: file}
	if len(texts) > 0 {
		c.From = texts[0]
	}
	if len(texts) > 1 {
		c.To = texts[1]
	}
	return c
}

// Table is the comparison file by file, in Markdown.
func (c comparison) Table() string {
	var table strings.Builder
	table.WriteString("| scaffolded | lines | since then | by hand | lines | what it does | verdict |\n")
	table.WriteString("|---|---:|---|---|---:|---|---|\n")
	for _, row := range c.Rows {
		since, places, lines := "pristine", "—", "—"
		if !row.Pristine() {
			since = fmt.Sprintf("edited, +%d −%d", row.Added, row.Removed)
		}
		if len(row.ByHand) > 0 {
			var links []string
			for _, place := range row.ByHand {
				links = append(links, place.link())
			}
			places, lines = strings.Join(links, "<br>"), fmt.Sprint(row.ByHandLines())
		}
		fmt.Fprintf(&table, "| [%s](../%s/%s) | %d | %s | %s | %s | %s | *%s* |\n",
			row.Path, folder, row.Path, row.Scaffolded, since, places, lines, row.Does, row.Verdict)
	}
	return strings.TrimSuffix(table.String(), "\n")
}

// OwnTable lists what was written by hand in kubebuilder/.
func (c comparison) OwnTable() string {
	var table strings.Builder
	table.WriteString("| file | lines |\n|---|---:|\n")
	for _, file := range c.Own {
		fmt.Fprintf(&table, "| [%s](../%s/%s) | %d |\n", file.Path, folder, file.Path, file.Lines)
	}
	return strings.TrimSuffix(table.String(), "\n")
}

// Count is how many files a verdict was given to.
func (c comparison) Count(v string) int {
	n := 0
	for _, row := range c.Rows {
		if row.Verdict == verdict(v) {
			n++
		}
	}
	return n
}

// Pristine is how many files are as they were scaffolded; Scaffolded, Added and Removed are lines in all files.
func (c comparison) Pristine() int {
	n := 0
	for _, row := range c.Rows {
		if row.Pristine() {
			n++
		}
	}
	return n
}

func (c comparison) Scaffolded() int { return c.sum(func(r Row) int { return r.Scaffolded }) }
func (c comparison) Added() int      { return c.sum(func(r Row) int { return r.Added }) }
func (c comparison) Removed() int    { return c.sum(func(r Row) int { return r.Removed }) }

func (c comparison) sum(of func(Row) int) int {
	n := 0
	for _, row := range c.Rows {
		n += of(row)
	}
	return n
}

// OwnLines are the lines that were written by hand in files of their own.
func (c comparison) OwnLines() int {
	n := 0
	for _, file := range c.Own {
		n += file.Lines
	}
	return n
}

// ReplacesMost is the file that does what most lines do by hand.
func (c comparison) ReplacesMost() Row {
	return slices.MaxFunc(c.Rows, func(a, b Row) int { return a.ByHandLines() - b.ByHandLines() })
}
