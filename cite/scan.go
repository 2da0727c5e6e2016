package cite

import (
	"bytes"
	"cmp"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

// location matches module, version, path, line and symbol, as well as any other word.
var location = regexp.MustCompile(
	`(?:([\w.~/-]+)@([\w.+-]+)/)?([\w.+~/@-]+)(:\d+)?(?:#([\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)?))?`)

// closing matches what may end a location in Markdown, with the link's target.
var closing = regexp.MustCompile("^`?(?:\\]\\(([^()\\s]*)\\))?")

// quotation matches the text after a location.
var quotation = regexp.MustCompile("^(?:[ \t]+|[ \t]*\r?\n[ \t]*(?://|#|>|\\*)?[ \t]*)(?:`([^`\r\n]+)`|\"([^\"\r\n]+)\")")

// scan finds the citations in a file. Own tells which paths are of the project, whether or not they are there.
func scan(file string, content []byte, own func(path string) bool) []Citation {
	prose := content
	if path.Ext(file) == ".go" {
		prose = comments(content)
	}
	var found []Citation
	end := 0 // of the citation before
	for _, match := range location.FindAllSubmatchIndex(prose, -1) {
		if match[0] < end {
			continue // what a citation links to, or quotes
		}
		c := citationAt(prose, match)
		if c.ofModule() || c.ofProject(own) {
			c.File, c.Line = file, 1+bytes.Count(content[:match[0]], []byte("\n"))
			found = append(found, c)
			end = max(c.at.target.end, c.at.text.end)
		}
	}
	return found
}

// citationAt is what a match of location is with what follows it.
func citationAt(prose []byte, match []int) Citation {
	group := func(match []int, i, offset int) span {
		if match == nil || match[2*i] < 0 {
			return span{}
		}
		return span{offset + match[2*i], offset + match[2*i+1]}
	}
	text := func(s span) string { return string(prose[s.begin:s.end]) }

	file := group(match, 3, 0)
	c := Citation{
		Of:     Location{Module: text(group(match, 1, 0)), Version: text(group(match, 2, 0)), Path: text(file)},
		Symbol: text(group(match, 5, 0)),
		at:     parts{version: group(match, 2, 0), line: group(match, 4, 0)},
	}
	if c.at.line == (span{}) {
		c.at.line = span{file.end, file.end}
	} else {
		// A line that is too large for an int comes out as the largest, which no file has either.
		c.Of.Line, _ = strconv.Atoi(text(c.at.line)[1:])
	}
	end := match[1]
	closed := closing.FindSubmatchIndex(prose[end:])
	c.at.target = group(closed, 1, end)
	c.target = text(c.at.target)
	if c.Symbol != "" {
		return c
	}
	end += closed[1]
	quoted := quotation.FindSubmatchIndex(prose[end:])
	c.at.text = cmp.Or(group(quoted, 1, end), group(quoted, 2, end))
	c.Text = text(c.at.text)
	return c
}

// ofModule tells whether another module is cited, or should be.
func (c Citation) ofModule() bool {
	return module.CheckPath(c.Of.Module) == nil && (c.hasLine() || c.Symbol != "")
}

func (c Citation) ofProject(own func(path string) bool) bool {
	return c.Of.Module == "" && c.hasLine() && c.Cited() != "" &&
		path.Clean(c.Of.Path) == c.Of.Path && strings.ContainsAny(c.Of.Path, "/.") && own(c.Of.Path)
}

func (c Citation) hasLine() bool { return c.at.line.begin < c.at.line.end }

// comments is a Go file of the same length with its comments alone, and zeros in place of everything else but blanks.
func comments(source []byte) []byte {
	kept := make([]byte, len(source))
	for i, b := range source {
		if bytes.IndexByte([]byte(" \t\r\n"), b) >= 0 {
			kept[i] = b
		}
	}
	file := token.NewFileSet().AddFile("", -1, len(source))
	var tokens scanner.Scanner
	tokens.Init(file, source, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, kind, literal := tokens.Scan()
		if kind == token.EOF {
			return kept
		}
		if kind == token.COMMENT {
			begin := file.Offset(pos)
			copy(kept[begin:commentEnd(source, begin, literal)], source[begin:])
		}
	}
}

// commentEnd is not begin plus the literal's length, since the scanner drops carriage returns.
func commentEnd(source []byte, begin int, literal string) int {
	closer, length := "\n", 0
	if strings.HasPrefix(literal, "/*") {
		closer, length = "*/", 2
	}
	if i := bytes.Index(source[begin+2:], []byte(closer)); i >= 0 {
		return begin + 2 + i + length
	}
	return len(source)
}
