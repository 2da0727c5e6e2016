package drawing

import "fmt"

// Drawing is what a person drew.
type Drawing struct {
	Arrows []Arrow
	Files  []File
}

// Arrow is one that was drawn, between two stages.
type Arrow struct {
	From, To Name
}

// File is the one that a stage is said to be in.
type File struct {
	Stage Name
	Path  Name
}

// Name is a word of a drawing, as it was written.
type Name struct {
	Text string
	At   Position
}

// Position is a place in the text of a drawing. Lines and columns are counted from 1, columns in characters.
type Position struct {
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("line %d, column %d", p.Line, p.Column) }

// Problem is something that is wrong with a drawing. What is missing is at no position.
type Problem struct {
	At   Position
	Text string
}

func (p Problem) String() string {
	if p.At == (Position{}) {
		return p.Text
	}
	return p.At.String() + ": " + p.Text
}
