package cite

import (
	"fmt"
	"strings"
)

// A Location is a line of a file.
type Location struct {
	// Module and Version are empty for a file of the project.
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	// Path is below the root of the module or of the checkout.
	Path string `json:"path"`
	// Line is counted from 1; 0 is a line yet to be found.
	Line int `json:"line"`
}

// String is the location as it is cited.
func (l Location) String() string {
	var s strings.Builder
	if l.Module != "" {
		fmt.Fprintf(&s, "%s@%s/", l.Module, l.Version)
	}
	s.WriteString(l.Path)
	if l.Line > 0 {
		fmt.Fprintf(&s, ":%d", l.Line)
	}
	return s.String()
}

// A Citation is a place in the project's files that tells of a location and of what stands there.
type Citation struct {
	// File and Line are where the citation stands.
	File string `json:"file"`
	Line int    `json:"line"`
	// Of is the location that is cited.
	Of Location `json:"of"`
	// Text and Symbol are what is cited. A citation has one of them, or if it is wrong, none.
	Text   string `json:"text,omitempty"`
	Symbol string `json:"symbol,omitempty"`

	// target is where the link goes that the location is the text of.
	target string
	// at is where the parts of the citation are in the content of its file.
	at parts
}

type parts struct{ version, line, target, text span }

// A span is a range of bytes, without the one at end. It is zero for what is not there.
type span struct{ begin, end int }

// Cited is what is cited, as it is written.
func (c Citation) Cited() string {
	switch {
	case c.Symbol != "":
		return "#" + c.Symbol
	case strings.Contains(c.Text, "`"):
		return `"` + c.Text + `"`
	case c.Text != "":
		return "`" + c.Text + "`"
	default:
		return ""
	}
}
