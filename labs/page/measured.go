// Package page reads and shows the pages of labs.
package page

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.com/twinloop/labs/lab"
)

// BeforeRun is what of a page a learner reads before the experiment: all up to the section that tells what it shows.
func BeforeRun(markdown string) string {
	before, _, _ := strings.Cut(markdown, "\n## Observe\n")
	return before
}

// Row is what a page says is measured: a name, and a value or a range of numbers.
type Row struct {
	Name, Value string
}

// Measured reads the table of a page whose first column is headed "measured" and the second "value".
func Measured(markdown string) ([]Row, error) {
	var rows []Row
	inside := false
	for line := range strings.Lines(markdown) {
		cells, ok := tableRow(line)
		switch {
		case !ok:
			inside = false
		case !inside:
			inside = len(cells) > 1 && cells[0] == "measured" && cells[1] == "value"
		case !isRule(cells):
			rows = append(rows, Row{strings.Trim(cells[0], "`"), cells[1]})
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf(`the page has no table headed "| measured | value |": add one, with a row for each measurement`)
	}
	return rows, nil
}

var numbers = regexp.MustCompile(`^(-?[0-9.]+)(?: to (-?[0-9.]+))?(?: (\S+))?$`)

// Admits tells whether what was measured is what the row says: the same text, or a number in its range and of its unit.
func (r Row) Admits(m lab.Measurement) bool {
	if r.Value == m.String() {
		return true
	}
	parts := numbers.FindStringSubmatch(r.Value)
	if parts == nil || parts[3] != m.Unit {
		return false
	}
	value, err := strconv.ParseFloat(m.Value, 64)
	if err != nil {
		return false
	}
	least, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return false
	}
	most := least
	if parts[2] != "" {
		if most, err = strconv.ParseFloat(parts[2], 64); err != nil {
			return false
		}
	}
	return least <= value && value <= most
}

// tableRow are the cells of a line of a table.
func tableRow(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") {
		return nil, false
	}
	cells := strings.Split(line[1:len(line)-1], "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, true
}

func isTableRow(line string) bool {
	_, ok := tableRow(line)
	return ok
}

// isRule tells whether cells are those of the line under a table's head.
func isRule(cells []string) bool {
	for _, cell := range cells {
		if strings.Trim(cell, "-:") != "" || cell == "" {
			return false
		}
	}
	return true
}
