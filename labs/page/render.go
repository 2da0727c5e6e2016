package page

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Render is a page for a terminal of some width: paragraphs and lists wrapped, tables aligned, code indented. In color, markup
// becomes bold and colored; without, it stays what it is. It knows the Markdown that pages are written in, and no more.
func Render(markdown string, width int, color bool) string {
	r := renderer{width: max(width, 40), color: color}
	lines := strings.Split(strings.TrimSuffix(markdown, "\n"), "\n")
	for i := 0; i < len(lines); {
		i += r.block(lines[i:])
	}
	return r.out.String()
}

type renderer struct {
	width int
	color bool
	out   strings.Builder
}

var (
	heading = regexp.MustCompile(`^#+ (.*)`)
	item    = regexp.MustCompile(`^( *(?:[-*]|\d+\.) )(.*)`)
)

// block renders what begins at the first line, and is the number of lines that it took.
func (r *renderer) block(lines []string) int {
	first := lines[0]
	switch {
	case strings.TrimSpace(first) == "":
		r.out.WriteString("\n")
		return 1
	case strings.HasPrefix(first, "```"):
		return r.code(lines)
	case heading.MatchString(first):
		r.out.WriteString(r.style(bold, heading.FindStringSubmatch(first)[1]) + "\n")
		return 1
	case isTableRow(first):
		return r.table(lines)
	}
	n, text := 1, first
	for n < len(lines) && continues(lines[n]) {
		text += " " + strings.TrimSpace(lines[n])
		n++
	}
	bullet := ""
	if parts := item.FindStringSubmatch(text); parts != nil {
		bullet, text = parts[1], parts[2]
	}
	for i, line := range wrap(text, r.width-len(bullet)) {
		if i > 0 {
			bullet = strings.Repeat(" ", len(bullet))
		}
		r.out.WriteString(bullet + r.inline(line) + "\n")
	}
	return n
}

// continues tells whether a line belongs to the paragraph or item above it.
func continues(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "```") && !isTableRow(line) &&
		!heading.MatchString(line) && !item.MatchString(line)
}

func (r *renderer) code(lines []string) int {
	for n, line := range lines[1:] {
		if strings.HasPrefix(line, "```") {
			return n + 2
		}
		r.out.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	return len(lines)
}

// table aligns the columns. The last one is wrapped to what is left of the width.
func (r *renderer) table(lines []string) int {
	var rows [][]string
	n := 0
	for ; n < len(lines); n++ {
		cells, ok := tableRow(lines[n])
		if !ok {
			break
		}
		if !isRule(cells) {
			rows = append(rows, cells)
		}
	}
	widths := columnWidths(rows)
	indent := 0
	for _, width := range widths[:max(0, len(widths)-1)] {
		indent += width + 2
	}
	for i, cells := range rows {
		var line strings.Builder
		for column, cell := range cells[:len(cells)-1] {
			line.WriteString(r.cell(i, cell) + strings.Repeat(" ", max(0, widths[column]-visible(cell))+2))
		}
		for j, part := range wrap(cells[len(cells)-1], max(20, r.width-indent)) {
			if j > 0 {
				line.WriteString("\n" + strings.Repeat(" ", indent))
			}
			line.WriteString(r.cell(i, part))
		}
		r.out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return n
}

func (r *renderer) cell(row int, text string) string {
	if row == 0 {
		return r.style(bold, text)
	}
	return r.inline(text)
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], visible(cell))
		}
	}
	return widths
}

var word = regexp.MustCompile("(?:`[^`]*`|[^ `])+|`")

// wrap breaks text into lines, and never breaks within code. There is always one line.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range word.FindAllString(text, -1) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case visible(*last)+1+visible(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

func visible(text string) int { return utf8.RuneCountInString(text) }

const (
	bold = "1"
	cyan = "36"
)

var span = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*")

// inline shows code and bold text, where they do not go over the end of a line.
func (r *renderer) inline(text string) string {
	if !r.color {
		return text
	}
	return span.ReplaceAllStringFunc(text, func(marked string) string {
		if strings.HasPrefix(marked, "`") {
			return r.style(cyan, strings.Trim(marked, "`"))
		}
		return r.style(bold, strings.Trim(marked, "*"))
	})
}

func (r *renderer) style(code, text string) string {
	if !r.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
