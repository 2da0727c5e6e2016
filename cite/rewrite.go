package cite

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

type edit struct {
	span
	to string
}

// rewrite returns a file's content with the citations moved that have moved; they are of this content.
func rewrite(content []byte, problems []Problem) []byte {
	var edits []edit
	for _, p := range problems {
		if p.Moved == nil {
			continue
		}
		if p.Moved.Version != p.Of.Version {
			edits = append(edits, edit{p.at.version, p.Moved.Version})
		}
		if p.Moved.Line != p.Of.Line {
			edits = append(edits, edit{p.at.line, ":" + strconv.Itoa(p.Moved.Line)})
		}
		if target := linked(p.target, p.Of, *p.Moved); target != p.target {
			edits = append(edits, edit{p.at.target, target})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.begin, b.begin) })
	var rewritten bytes.Buffer
	done := 0
	for _, e := range edits {
		rewritten.Write(content[done:e.begin])
		rewritten.WriteString(e.to)
		done = e.end
	}
	rewritten.Write(content[done:])
	return rewritten.Bytes()
}

// unquoted is a file's content without the texts that its citations quote: what is quoted does not stand there.
func unquoted(content []byte, citations []Citation) []byte {
	blanked := bytes.Clone(content)
	for _, c := range citations {
		for i := c.at.text.begin; i < c.at.text.end; i++ {
			blanked[i] = ' '
		}
	}
	return blanked
}
