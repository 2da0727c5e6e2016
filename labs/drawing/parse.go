package drawing

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longest is how many characters a name may have.
const longest = 40

var (
	arrow = regexp.MustCompile(`-+>|→`)
	name  = regexp.MustCompile(`^[\pL\pN](?:[\pL\pN_ -]*[\pL\pN])?$`)
	file  = regexp.MustCompile(`^[\w.@/-]+$`)
)

// Parse reads a drawing. What cannot be read is left out of it, and is a problem.
func Parse(text string) (Drawing, []Problem) {
	var p parser
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		text, _, _ = strings.Cut(text, "#")
		p.line(Name{text, Position{number, 1}}.trimmed())
	}
	return p.drawing, p.problems
}

type parser struct {
	drawing  Drawing
	problems []Problem
}

func (p *parser) line(line Name) {
	stage, path, hasFile := line.cut(":")
	switch {
	case line.Text == "":
	case arrow.MatchString(line.Text):
		p.arrows(line.split(arrow))
	case hasFile:
		p.file(stage, path)
	case strings.Contains(line.Text, "<-"):
		p.report(line, "an arrow points to the right: for a <- b, write b -> a")
	case strings.Contains(line.Text, "=>"):
		p.report(line, "an arrow is written ->")
	default:
		p.report(line, fmt.Sprintf("%q stands alone: draw an arrow from it or to it, such as a -> b", line.Text))
	}
}

func (p *parser) arrows(stages []Name) {
	var before Name
	readable := false
	for _, stage := range stages {
		to, ok := p.name(stage)
		if readable && ok {
			p.drawing.Arrows = append(p.drawing.Arrows, Arrow{before, to})
		}
		before, readable = to, ok
	}
}

func (p *parser) file(stage, path Name) {
	of, ok := p.name(stage)
	switch {
	case path.Text == "":
		p.report(path, "there is no file after the colon")
	case !file.MatchString(path.Text):
		p.report(path, fmt.Sprintf("%q is no file: give one, with slashes, and without a line", path.Text))
	case ok:
		p.drawing.Files = append(p.drawing.Files, File{of, path})
	}
}

// name is the name of a stage, if it is one that could be.
func (p *parser) name(of Name) (Name, bool) {
	switch {
	case of.Text == "":
		p.report(of, "a stage is missing here: there must be one on both sides of an arrow, and before a colon")
	case !name.MatchString(of.Text):
		p.report(of, fmt.Sprintf("%q is no name of a stage: names have letters, digits, blanks and hyphens, and an arrow is ->", of.Text))
	case utf8.RuneCountInString(of.Text) > longest:
		p.report(of, fmt.Sprintf("the name is longer than %d characters", longest))
	default:
		return of, true
	}
	return Name{}, false
}

func (p *parser) report(at Name, problem string) {
	p.problems = append(p.problems, Problem{at.At, problem})
}

// from is the text without its first bytes.
func (n Name) from(bytes int) Name {
	n.At.Column += utf8.RuneCountInString(n.Text[:bytes])
	n.Text = n.Text[bytes:]
	return n
}

func (n Name) trimmed() Name {
	n = n.from(len(n.Text) - len(strings.TrimLeft(n.Text, " \t\r\n")))
	n.Text = strings.TrimRight(n.Text, " \t\r\n")
	return n
}

// cut divides a text in two at the first separator.
func (n Name) cut(separator string) (before, after Name, found bool) {
	i := strings.Index(n.Text, separator)
	if i < 0 {
		return n, Name{}, false
	}
	after = n.from(i + len(separator)).trimmed()
	n.Text = n.Text[:i]
	return n.trimmed(), after, true
}

// split divides a text at every separator.
func (n Name) split(separator *regexp.Regexp) []Name {
	var parts []Name
	begin := 0
	for _, match := range separator.FindAllStringIndex(n.Text, -1) {
		piece := n.from(begin)
		piece.Text = n.Text[begin:match[0]]
		parts = append(parts, piece.trimmed())
		begin = match[1]
	}
	return append(parts, n.from(begin).trimmed())
}
