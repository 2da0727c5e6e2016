package drawing

import (
	"errors"
	"os"
	"path/filepath"
)

// FileName is the drawing's, in the folder that a learner works in.
const FileName = "pipeline.txt"

// Read reads the drawing of a folder, with what is wrong in how it is written.
func Read(folder string) (Drawing, []Problem, error) {
	text, err := os.ReadFile(filepath.Join(folder, FileName))
	if err != nil {
		return Drawing{}, nil, err
	}
	drawn, problems := Parse(string(text))
	if len(drawn.Arrows) == 0 && len(problems) == 0 {
		err = errors.New(FileName + " does not have an arrow yet")
	}
	return drawn, problems, err
}

// Refuse is an error of all problems, in a line each; nil if there are none.
func Refuse(problems []Problem) error {
	Sort(problems)
	var all string
	for _, p := range problems {
		all += "\n  " + p.String()
	}
	if all == "" {
		return nil
	}
	return errors.New(all)
}
