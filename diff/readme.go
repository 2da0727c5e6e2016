package diff

import (
	"fmt"
	"strings"
)

const readmePath = "README.md"

// README.md shows the measurements between these two lines.
const (
	comparisonPath  = "docs/comparison.md"
	comparisonBegin = "<!-- " + comparisonPath + " -->\n"
	comparisonEnd   = "<!-- end -->\n"
)

// withComparison returns README.md with the measurements in their place.
func withComparison(readme, measured string) (string, error) {
	before, rest, begins := strings.Cut(readme, comparisonBegin)
	_, after, ends := strings.Cut(rest, comparisonEnd)
	if !begins || !ends {
		return "", fmt.Errorf("%s: no place for %s: want the lines %q and %q", readmePath, comparisonPath, comparisonBegin, comparisonEnd)
	}
	return before + comparisonBegin + measured + comparisonEnd + after, nil
}
