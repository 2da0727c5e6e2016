// Package drawingcorrected has a learner give each stage of a controller's pipeline its file, and reads the files off the call
// stacks of a controller at work.
package drawingcorrected

import (
	"embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

//go:embed start
var files embed.FS

// Lab is lab 13.
var Lab = lab.Lab{
	Number:  13,
	Name:    "drawing-corrected",
	Title:   "The same drawing, now with the file names checked",
	Module:  "4.2 The machinery",
	Needs:   lab.Nothing,
	Minutes: 45,
	Page:    page,
	Questions: []lab.Question{
		{Name: "fifo-file", Answer: lab.Choice{"fifo.go", "delta_fifo.go", "the_real_fifo.go", "undelta_store.go"},
			Text: "A shared informer is given a transform function. Which file calls it, when an event comes?"},
		{Name: "indexer-file", Answer: lab.Choice{"index.go", "store.go", "thread_safe_store.go"},
			Text: "Which file calls an index function?"},
		{Name: "informer-file", Answer: lab.Choice{"shared_informer.go", "controller.go", "reflector.go"},
			Text: "Which file has the call that puts an object into the store, and after that the one that tells the listeners?"},
		{Name: "listeners-file", Answer: lab.Choice{"shared_informer.go", "controller.go", "reflector.go"},
			Text: "Which file calls a handler's OnAdd?"},
		{Name: "lister-file", Answer: lab.Choice{"tools/cache/listers.go", "listers/generic_helpers.go", "tools/cache/store.go"},
			Text: "A generated lister, such as that of pods, has its Get from another type. Which file is that in?"},
		{Name: "workqueue-file", Answer: lab.Choice{"queue.go", "delaying_queue.go", "rate_limiting_queue.go"},
			Text: "A handler Adds a key to a rate-limited workqueue. Which file puts it where Get will find it?"},
		{Name: "calls", Answer: order,
			Text: "An index function looks at the stack that it is called on. Which of these is the outermost call, and which " +
				"come after it? (Update is that of threadSafeMap, PopBatch that of RealFIFO.)"},
		{Name: "goroutines", Answer: lab.Number{},
			Text: "From the watch to reconcile, how many goroutines of one informer with one handler and one worker call something " +
				"of yours?"},
		{Name: "yours", Answer: lab.Number{}, Text: "How many of the eleven stages are in files of yours?"},
	},
	Run:   run,
	Start: lab.Sub(files, "start"),
	Check: check,
}
