// Package lab is the frame that every lab stands in: a page to read, questions to answer before the experiment, and the
// experiment, which measures what the questions are about.
package lab

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
)

// Lab is one exercise. Where the learner makes something, it has Start and Check; the others are settled by predictions.
type Lab struct {
	// Number is its place on the path, from 1.
	Number int
	// Name is that of its folder, without the number.
	Name string
	// Title is the first heading of its page.
	Title string
	// Module is the part of the path that it belongs to, such as "4.2 The machinery".
	Module string
	Needs  Needs
	// Minutes is how long it takes a learner who reads, predicts, runs and thinks.
	Minutes int
	// Page is the Markdown of its README.md.
	Page string
	// Questions are asked before the run. Each is about a measurement that Run makes.
	Questions []Question
	// Run is the experiment. It narrates and measures on the bench, stops when ctx ends, and leaves nothing behind.
	Run func(ctx context.Context, bench *Bench) error
	// Start has the files of the folder that the learner works in; nil where nothing is made.
	Start fs.FS
	// Check says what is wrong with what was made in a folder; nil where nothing is made.
	Check func(ctx context.Context, folder string, bench *Bench) error
}

// Needs is what a lab runs on.
type Needs string

// What labs run on.
const (
	Nothing      Needs = "nothing"
	ControlPlane Needs = "control plane"
)

// Folder is the name of the lab's folder, such as 06-hundred-adds.
func (l Lab) Folder() string { return fmt.Sprintf("%02d-%s", l.Number, l.Name) }

// Question is the one about a measurement, or nil.
func (l Lab) Question(measurement string) *Question {
	for i := range l.Questions {
		if l.Questions[i].Name == measurement {
			return &l.Questions[i]
		}
	}
	return nil
}

// Sub is a folder of the files that a lab has embedded.
func Sub(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // its name is a constant
	}
	return sub
}
