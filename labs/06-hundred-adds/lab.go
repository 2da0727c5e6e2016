// Package hundredadds adds one key to a workqueue a hundred times and counts how often it is handed out.
package hundredadds

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// Lab is lab 6.
var Lab = lab.Lab{
	Number:  6,
	Name:    "hundred-adds",
	Title:   "Add one key a hundred times, count the reconciles",
	Module:  "4.2 The machinery",
	Needs:   lab.Nothing,
	Minutes: 30,
	Page:    page,
	Questions: []lab.Question{
		{Name: "reconciles", Answer: lab.Number{},
			Text: "A handler Adds the key web 100 times. Only then do workers start to Get. How many reconciles are there?"},
		{Name: "reconciles-while-held", Answer: lab.Number{},
			Text: "A worker got web and is not done with it. The handler Adds web 100 times, then the worker calls Done. " +
				"How many more reconciles are there?"},
		{Name: "handed-out-without-done", Answer: lab.Number{},
			Text: "As before, but the worker forgets Done and calls Get again. How many more times is web handed out?"},
		{Name: "len-without-done", Answer: lab.Number{}, Text: "What does Len() of that queue say then?"},
		{Name: "depth-without-done", Answer: lab.Number{}, Text: "And what does the metric workqueue_depth say?"},
		{Name: "other-key-without-done", Answer: lab.YesOrNo,
			Text: "While web is stuck, another key is Added. Is that one handed out?"},
		{Name: "longest-running-without-done", Answer: lab.Number{Unit: "s"},
			Text: "A minute later, what does the metric workqueue_longest_running_processor_seconds say?"},
		{Name: "priority-reconciles", Answer: lab.Number{},
			Text: "The 100 Adds before any Get again, to controller-runtime's priority queue. How many reconciles are there?"},
		{Name: "priority-len-without-done", Answer: lab.Number{},
			Text: "A worker of the priority queue forgets Done, and web is Added 100 times. What does Len() say?"},
		{Name: "priority-order", Answer: lab.Ordering{"first", "second", "third"},
			Text: "The priority queue is given first, second and third with priority 0, then third again with 10, then with 5. " +
				"In which order are they handed out?"},
		{Name: "priority-of-third", Answer: lab.Number{}, Text: "With which priority is third handed out?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	bench.Say("One key, web, and the queue of client-go. dirty: needs work; processing: is being worked on; queue: waits for Get.")
	addBeforeGet(bench)
	addWhileHeld(bench)
	if err := addWithoutDone(ctx, bench); err != nil {
		return err
	}
	bench.Say("\nThe same with controller-runtime's priority queue, which is what its controllers use by default.")
	priorityAddBeforeGet(bench)
	priorityAddWhileHeld(bench)
	priorityAddWithoutDone(bench)
	raisePriority(bench)
	return nil
}
