package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// handwired is the folder of the operator that is written by hand throughout.
const handwired = "handwired"

// linesByHand counts the lines of Go, tests aside, that somebody wrote for each operator: all in the folder of one that
// was not scaffolded; of the other, those of its own files and those added to the scaffold.
func (c comparison) linesByHand(root string) (map[string]int, error) {
	lines := map[string]int{}
	for _, row := range c.Rows {
		if isProgram(row.Path) {
			lines[folder] += row.Added
		}
	}
	for _, own := range c.Own {
		if isProgram(own.Path) {
			lines[folder] += own.Lines
		}
	}
	files, err := filesOf(filepath.Join(root, handwired))
	for name, content := range files {
		if isProgram(name) {
			lines[handwired] += countLines(content)
		}
	}
	return lines, err
}

func isProgram(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// measured is what was last measured, docs/comparison.md, with the lines that were written by hand as a last row.
func (c comparison) measured(root string) (string, error) {
	table, err := os.ReadFile(filepath.Join(root, comparisonPath))
	if err != nil {
		return "", err
	}
	lines, err := c.linesByHand(root)
	if err != nil {
		return "", err
	}
	return string(table) + linesRow(string(table), lines), nil
}

// linesRow is a row for the columns that the first line of a table names.
func linesRow(table string, lines map[string]int) string {
	heading, _, _ := strings.Cut(table, "\n")
	columns := strings.Split(strings.Trim(heading, "| "), "|")
	row := "| lines of Go written by hand |"
	for _, column := range columns {
		if n, counted := lines[strings.TrimSpace(column)]; counted {
			row += fmt.Sprintf(" %d |", n)
		} else {
			row += " |"
		}
	}
	return row + "\n"
}
