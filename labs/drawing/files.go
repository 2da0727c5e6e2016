package drawing

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Yours is the file of what no library has.
const Yours = "yours"

// Files are those that a stage is in, the one where it happens first, as import path and name of the file. The API server, which
// is another program, has none.
type Files map[Stage][]string

// CompareFiles is what is wrong with the files of a drawing, those of them that are missing last.
func (d Drawing) CompareFiles(truth Files) []Problem {
	var problems []Problem
	report := func(at Position, format string, args ...any) {
		problems = append(problems, Problem{at, fmt.Sprintf(format, args...)})
	}
	given := map[Stage]Position{}
	for _, file := range d.Files {
		stage, problem := find(file.Stage)
		if problem != nil {
			problems = append(problems, *problem)
		}
		if stage == "" {
			continue
		}
		at, written := file.Path.At, file.Path.Text
		before, twice := given[stage]
		switch {
		case twice:
			report(at, "the file of the %s was given already, in line %d", stage, before.Line)
		case truth[stage] == nil:
			report(at, "the %s is another program, and has no file here", stage)
		case !isOneOf(truth[stage], written):
			report(at, "the %s is not in %s%s", stage, written, meantFile(truth[stage], written))
		}
		given[stage] = at
	}
	for _, stage := range Whole.Stages() {
		if _, ok := given[stage]; !ok && truth[stage] != nil {
			report(Position{}, "missing: the file of the %s", stage)
		}
	}
	return problems
}

var version = regexp.MustCompile(`@v[^/]*`)

// isOneOf tells whether a path is the end of one of the files, or all of it. A module's version does not count.
func isOneOf(files []string, path string) bool {
	path = version.ReplaceAllString(path, "")
	for _, file := range files {
		if file == path || strings.HasSuffix(file, "/"+path) {
			return true
		}
	}
	return false
}

// meantFile asks whether a file was misspelt.
func meantFile(files []string, written string) string {
	for _, file := range files {
		if changes := levenshtein.ComputeDistance(path.Base(file), path.Base(written)); file != Yours && changes > 0 && changes <= 2 {
			return fmt.Sprintf(": did you mean %s?", path.Base(file))
		}
	}
	return ""
}
