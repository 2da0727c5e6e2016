package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/twinloop/cite"
)

// citation names a place in the checkout by what is there: a whole file, or its lines from one that holds a text to the
// first after it that holds another.
type citation struct {
	// File is relative to the checkout.
	File string `json:"file"`
	// From is text of the first line, and of that line alone; without it the whole file is cited. To is text of the last
	// line, and without it the citation is one line; "}" is the end of a declaration, a line of nothing else.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// span is a cited place with its lines, counted from 1, both included.
type span struct {
	file        string
	first, last int
	whole       bool
}

func (s span) lines() int { return s.last - s.first + 1 }

// resolve finds the lines. The error names the file and the text that is not there, or there more than once.
func (c citation) resolve(root string) (span, error) {
	content, err := os.ReadFile(filepath.Join(root, c.File))
	if err != nil {
		return span{}, err
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if c.From == "" {
		return span{file: c.File, first: 1, last: len(lines), whole: true}, nil
	}
	found := cite.LinesWith(content, c.From)
	if len(found) == 0 {
		return span{}, fmt.Errorf("%s: no line holds %q", c.File, c.From)
	}
	if len(found) > 1 {
		return span{}, fmt.Errorf("%s: %q is in line %d and again in line %d: cite more of it", c.File, c.From, found[0], found[1])
	}
	first := found[0]
	if c.To == "" {
		return span{file: c.File, first: first, last: first}, nil
	}
	for i, line := range lines[first:] {
		if line == c.To || c.To != "}" && strings.Contains(line, c.To) {
			return span{file: c.File, first: first, last: first + 1 + i}, nil
		}
	}
	return span{}, fmt.Errorf("%s: no line after %d holds %q", c.File, first, c.To)
}

// link is a span in Markdown, as it is linked to from docs/.
func (s span) link() string {
	switch {
	case s.whole:
		return fmt.Sprintf("[%s](../%s)", s.file, s.file)
	case s.first == s.last:
		return fmt.Sprintf("[%s:%d](../%s#L%d)", s.file, s.first, s.file, s.first)
	default:
		return fmt.Sprintf("[%s:%d-%d](../%s#L%d-L%d)", s.file, s.first, s.last, s.file, s.first, s.last)
	}
}
