package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"example.com/twinloop/shared/checkout"
)

// Overlay writes changed copies of the source files into a folder, and beside them the file for `go build -overlay`
// (`go help build`) that puts them in place of the checkout's, which stay as they are. The error names the patch, when
// it does not apply, and the lines that were looked for in vain.
func (m Mutant) Overlay(dir string) (overlayFile string, err error) {
	root, err := checkout.Root()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, change := range m.changes {
		source, changed := filepath.Join(root, change.OldName), filepath.Join(dir, change.OldName)
		if err := writeChanged(source, changed, change.TextFragments); err != nil {
			return "", fmt.Errorf("%s%s: %s: %w", m.Name, extension, change.OldName, err)
		}
		replace[source] = changed
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return "", err
	}
	overlayFile = filepath.Join(dir, "overlay.json")
	return overlayFile, os.WriteFile(overlayFile, overlay, 0o644)
}

func writeChanged(source, changed string, fragments []*gitdiff.TextFragment) error {
	before, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	after, err := apply(string(before), fragments)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(changed), 0o755); err != nil {
		return err
	}
	return os.WriteFile(changed, []byte(after), 0o644)
}

// apply puts the new lines of each fragment in the place of its old ones, which must be there exactly once. Line numbers
// do not count: what is above may grow and shrink without harm to a patch.
func apply(source string, fragments []*gitdiff.TextFragment) (string, error) {
	lines := strings.SplitAfter(source, "\n")
	for _, fragment := range fragments {
		var before, after []string
		for _, line := range fragment.Lines {
			if line.Old() {
				before = append(before, line.Line)
			}
			if line.New() {
				after = append(after, line.Line)
			}
		}
		places := occurrences(lines, before)
		switch len(places) {
		case 0:
			return "", fmt.Errorf("the patch no longer applies: these lines are not there:\n%s", strings.Join(before, ""))
		case 1:
			lines = slices.Replace(lines, places[0], places[0]+len(before), after...)
		default:
			return "", fmt.Errorf("the patch needs more context: these lines are at any of %d places:\n%s",
				len(places), strings.Join(before, ""))
		}
	}
	return strings.Join(lines, ""), nil
}

// occurrences are the indexes in lines at which a block begins.
func occurrences(lines, block []string) []int {
	var places []int
	for i := 0; i+len(block) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(block)], block) {
			places = append(places, i)
		}
	}
	return places
}
