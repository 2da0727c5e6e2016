// Package enqueueakey enqueues keys beside objects, and compares what a worker does with either.
package enqueueakey

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// versions is how many there are of the object.
const versions = 5

// Lab is lab 2.
var Lab = lab.Lab{
	Number:  2,
	Name:    "enqueue-a-key",
	Title:   "The line that enqueues a key, and the line that pays for it",
	Module:  "4.1 The reconcile principle",
	Needs:   lab.Nothing,
	Minutes: 30,
	Page:    page,
	Questions: []lab.Question{
		{Name: "object-reconciles", Answer: lab.Number{},
			Text: "While the worker is busy, five versions of one object pass. The handler enqueues the object that it is given. " +
				"How many reconciles does that make?"},
		{Name: "object-first-version", Answer: lab.Number{}, Text: "Which version does the first of them act on?"},
		{Name: "object-stale", Answer: lab.Number{}, Text: "How many of them act on a version that is not the newest any more?"},
		{Name: "key-reconciles", Answer: lab.Number{},
			Text: "The same, but the handler enqueues the object's key, and the worker asks the lister. How many reconciles now?"},
		{Name: "key-first-version", Answer: lab.Number{}, Text: "Which version does the first of them act on?"},
		{Name: "object-second-worker", Answer: lab.YesOrNo,
			Text: "A worker has taken an item of this object and is not done. Objects were enqueued: does a second worker get another?"},
		{Name: "key-second-worker", Answer: lab.YesOrNo, Text: "And if keys were?"},
		{Name: "object-left-at", Answer: lab.Number{},
			Text: "Five versions pass, and then the first attempt fails; it is retried, and all others succeed. Objects were " +
				"enqueued. Which version does the last attempt act on?"},
		{Name: "key-left-at", Answer: lab.Number{}, Text: "And if keys were?"},
		{Name: "object-after-delete", Answer: lab.Number{},
			Text: "Five versions pass, the object is deleted, and only then the workers begin. The handler enqueued the object of " +
				"the deletion as well. How many reconciles act on an object that is not there any more?"},
		{Name: "key-after-delete", Answer: lab.Number{}, Text: "And how many do if keys were enqueued?"},
		{Name: "key-unseen", Answer: lab.Number{},
			Text: "What is the price? Of the five versions, how many does the worker with the key never see?"},
		{Name: "key-requests", Answer: lab.Number{},
			Text: "And how many requests does the API server get from its reading the object again?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	for _, part := range []func(context.Context, *lab.Bench, *controllers) error{
		busyWorker, secondWorker, failedAttempt, deletion,
	} {
		c, err := start(ctx)
		if err != nil {
			return err
		}
		err = part(ctx, bench, c)
		c.stop()
		if err != nil {
			return err
		}
	}
	return nil
}
