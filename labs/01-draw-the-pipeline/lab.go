// Package drawthepipeline has a learner draw the pipeline of a controller from memory, and sees the real one at work.
package drawthepipeline

import (
	"embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

//go:embed start
var files embed.FS

// Lab is lab 1.
var Lab = lab.Lab{
	Number:  1,
	Name:    "draw-the-pipeline",
	Title:   "Draw the pipeline before you open any of it",
	Module:  "4.1 The reconcile principle",
	Needs:   lab.Nothing,
	Minutes: 30,
	Page:    page,
	Questions: []lab.Question{
		{Name: "first-request", Answer: lab.Choice{"list", "watch"},
			Text: "A controller starts. What does its reflector ask the API server for first?"},
		{Name: "requests", Answer: lab.Number{},
			Text: "The controller runs on, an object comes and is reconciled, changes and is reconciled again. How many requests " +
				"did all the reading take, from the start?"},
		{Name: "order", Answer: order,
			Text: "The object arrives. In which order do these get to see it, or its key?"},
		{Name: "known-when-added", Answer: lab.YesOrNo,
			Text: "A handler is told that an object was added. Does the indexer have it by then?"},
		{Name: "known-when-deleted", Answer: lab.YesOrNo,
			Text: "A handler is told that an object was deleted. Does the indexer still have it?"},
		{Name: "stored-while-handler-waits", Answer: lab.YesOrNo,
			Text: "A handler does not return. Does the indexer go on being updated?"},
		{Name: "events", Answer: lab.Number{},
			Text: "Somebody creates one object; reconcile writes a label to it, once, and is content from then on. " +
				"How many events do the handlers get?"},
		{Name: "reconciles", Answer: lab.Number{}, Text: "And how many reconciles are there?"},
	},
	Run:   run,
	Start: lab.Sub(files, "start"),
	Check: check,
}
