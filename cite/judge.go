package cite

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Problem is a citation that is not true, and what is to be done about it.
type Problem struct {
	Citation
	Says string
	// Moved is the location that Fix gives the citation; without one, a person has to mend it.
	Moved *Location
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Of, p.Says) }

// A reader returns the content of a file of a module or of the project; the error is fs.ErrNotExist if that has no such file.
// Version and folder of the module are those of a pin.
type reader func(module string, pin pin, path string) ([]byte, error)

const mend = "run 'twinloop cite --fix'"

// judge tells what is wrong with a citation; nil if nothing is. The error is the reader's.
func judge(c Citation, pins pins, read reader) (*Problem, error) {
	problem := func(format string, args ...any) (*Problem, error) {
		return &Problem{Citation: c, Says: fmt.Sprintf(format, args...)}, nil
	}
	if c.Cited() == "" {
		return problem("cites nothing: add the text in quotes, or #Symbol")
	}
	to, by, now := c.Of, pin{}, ""
	if to.Module != "" {
		known := pins[to.Module]
		if len(known) == 0 {
			return problem("no go.mod of the project requires %s: cite a module that one requires", to.Module)
		}
		by = known[max(0, slices.IndexFunc(known, func(p pin) bool { return p.version == to.Version }))]
		if by.version != to.Version {
			to.Version = by.version
			now = fmt.Sprintf("%s is pinned to %s now: ", to.Module, to.Version)
		}
	}
	content, err := read(to.Module, by, to.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return problem("%sthere is no such file: cite one that is there", now)
	}
	if err != nil {
		return nil, err
	}
	what, lines := "the text", LinesWith(content, c.Text)
	if c.Symbol != "" {
		what = "the symbol"
		if lines, err = linesDeclaring(to.Path, content, c.Symbol); err != nil {
			return problem("%s%v", now, err)
		}
	}
	switch len(lines) {
	case 0:
		return problem("%s%s %s is not in the file: cite what is there now", now, what, c.Cited())
	case 1:
		to.Line = lines[0]
	default:
		return problem("%s%s %s is in lines %d and %d: cite more of it", now, what, c.Cited(), lines[0], lines[1])
	}
	if to == c.Of && linked(c.target, c.Of, to) == c.target {
		return nil, nil
	}
	where := fmt.Sprintf("%s is in line %d", what, to.Line)
	if to == c.Of {
		where = fmt.Sprintf("the link goes to another line than %d", to.Line)
	}
	return &Problem{Citation: c, Says: now + where + ": " + mend, Moved: &to}, nil
}

// anchor is the end of a link to a line, as on GitHub.
var anchor = regexp.MustCompile(`#L\d+$`)

// linked is a link's target when what it links to has moved.
func linked(target string, from, to Location) string {
	if from.Version != "" {
		target = strings.ReplaceAll(target, from.Version, to.Version)
	}
	return anchor.ReplaceAllString(target, "#L"+strconv.Itoa(to.Line))
}

// A Report is what came of looking citations up.
type Report struct {
	Citations []Citation
	Problems  []Problem
}

// String counts what is cited.
func (r Report) String() string {
	files, modules, own := map[string]bool{}, map[string]bool{}, 0
	for _, c := range r.Citations {
		files[c.File] = true
		if c.Of.Module == "" {
			own++
		} else {
			modules[c.Of.Module] = true
		}
	}
	return fmt.Sprintf("%s in %s: %d into %s, %d into the project", counted(len(r.Citations), "citation"),
		counted(len(files), "file"), len(r.Citations)-own, counted(len(modules), "module"), own)
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
