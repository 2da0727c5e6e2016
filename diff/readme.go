package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// README.md shows the measurements between these two lines.
const (
	comparisonPath  = "docs/comparison.md"
	comparisonBegin = "<!-- " + comparisonPath + " -->\n"
	comparisonEnd   = "<!-- end -->\n"
)

// withComparison returns README.md with the measurements as docs/comparison.md has them.
func withComparison(readme, comparison string) (string, error) {
	before, rest, begins := strings.Cut(readme, comparisonBegin)
	_, after, ends := strings.Cut(rest, comparisonEnd)
	if !begins || !ends {
		return "", fmt.Errorf("README.md: no place for %s: want the lines %q and %q", comparisonPath, comparisonBegin, comparisonEnd)
	}
	return before + comparisonBegin + comparison + comparisonEnd + after, nil
}

// readme returns README.md as it is and as it should be.
func (s sources) readme() (have, want string, err error) {
	content, err := os.ReadFile(filepath.Join(s.root, "README.md"))
	if err != nil {
		return "", "", err
	}
	comparison, err := os.ReadFile(filepath.Join(s.root, comparisonPath))
	if err != nil {
		return "", "", err
	}
	want, err = withComparison(string(content), string(comparison))
	return string(content), want, err
}
