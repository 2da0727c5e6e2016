package diff

import (
	"context"
	"path/filepath"
	"strings"
)

// LinesByHand counts the lines of Go, tests aside, that somebody wrote for each operator: all in the folder of one that
// was not scaffolded; of the other, those of its own files and those added to the scaffold.
func LinesByHand(ctx context.Context) (map[string]int, error) {
	s, err := checkedOut()
	if err != nil {
		return nil, err
	}
	j, err := readJudgements(s.judgements)
	if err != nil {
		return nil, err
	}
	c, _, err := compare(ctx, s.root, j)
	if err != nil {
		return nil, err
	}
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
	const whole = "handwired"
	files, err := filesOf(filepath.Join(s.root, whole))
	for name, content := range files {
		if isProgram(name) {
			lines[whole] += countLines(content)
		}
	}
	return lines, err
}

func isProgram(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}
