package mutants

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/operator"
)

//go:embed *.patch
var patches embed.FS

const extension = ".patch"

// Mutant is a mistake that somebody could make in an operator, as a patch of its source.
type Mutant struct {
	// Name is the file name of the patch without its extension.
	Name string
	// Says is what the mistake is, in the words of somebody who would make it.
	Says string
	// Drill is the name of the drill that must catch it. Each of Oracles must object at each of Points.
	Drill   string
	Oracles []string
	Points  []drill.Point
	// Suite is the test of shared/suite that must catch it instead, where a drill cannot.
	Suite string

	changes []*gitdiff.File
}

// Operators are those that the mistake can be made in: the operators whose folders the patch changes, or all if it changes
// only what they share.
func (m Mutant) Operators() []operator.Operator {
	var changed []operator.Operator
	for _, o := range operator.Known {
		if slices.ContainsFunc(m.changes, func(change *gitdiff.File) bool { return o.Holds(change.OldName) }) {
			changed = append(changed, o)
		}
	}
	if len(changed) == 0 {
		return operator.Known
	}
	return changed
}

// All are the mutants in the order of their numbers. The error names the patch that cannot be read, and the line.
func All() ([]Mutant, error) {
	files, err := fs.Glob(patches, "*"+extension)
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, file := range files {
		content, err := patches.ReadFile(file)
		if err != nil {
			return nil, err
		}
		mutant, err := parse(file, content)
		if err != nil {
			return nil, err
		}
		all = append(all, mutant)
	}
	return all, nil
}

func parse(file string, patch []byte) (Mutant, error) {
	m := Mutant{Name: strings.TrimSuffix(file, extension)}
	if err := m.readHeader(file, string(patch)); err != nil {
		return Mutant{}, err
	}
	var err error
	if m.changes, _, err = gitdiff.Parse(bytes.NewReader(patch)); err != nil {
		return Mutant{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(m.changes) == 0 {
		return Mutant{}, fmt.Errorf("%s: no diff follows the header", file)
	}
	for _, change := range m.changes {
		if change.OldName == "" || change.OldName != change.NewName || len(change.TextFragments) == 0 {
			return Mutant{}, fmt.Errorf("%s: %s%s: must change the text of a file that exists, and stays where it is",
				file, change.OldName, change.NewName)
		}
	}
	return m, nil
}
