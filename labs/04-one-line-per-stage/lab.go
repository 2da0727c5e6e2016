// Package onelineperstage follows one edit of a Fleet through the hand-wired operator, stage by stage.
package onelineperstage

import (
	"context"
	_ "embed"
	"fmt"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// Lab is lab 4.
var Lab = lab.Lab{
	Number:  4,
	Name:    "one-line-per-stage",
	Title:   "One log line per stage, and the order they fire in",
	Module:  "4.1 The reconcile principle",
	Needs:   lab.ControlPlane,
	Minutes: 45,
	Page:    page,
	Questions: []lab.Question{
		{Name: "scale-order", Answer: first,
			Text: "A Fleet is scaled from 2 to 3. In which order does this happen? The edit's watch event comes, its key is " +
				"Added to the queue and got from it (Get), the Fleet is read from the cache, a pod is created (POST)."},
		{Name: "scale-echoes", Answer: echoes,
			Text: "And this? The pod is created (POST), the status is stored (PUT), and the watch event of each comes."},
		{Name: "scale-writes", Answer: lab.Number{}, Text: "How many writes does the operator make of this one edit?"},
		{Name: "scale-events", Answer: lab.Number{}, Text: "How many watch events is it told, the edit's own included?"},
		{Name: "scale-reconciles", Answer: lab.Number{}, Text: "How many reconciles are there?"},
		{Name: "scale-idle-reconciles", Answer: lab.Number{}, Text: "How many of these write nothing?"},
		{Name: "writes-while-held", Answer: lab.Number{},
			Text: "How many writes does the operator make while the edit is stored and its event is held back?"},
		{Name: "create-writes", Answer: lab.Number{},
			Text: "A Fleet of 2 is created. How many writes does the operator make of it?"},
		{Name: "create-events", Answer: lab.Number{}, Text: "How many watch events is it told?"},
		{Name: "annotate-writes", Answer: lab.Number{},
			Text: "Somebody sets an annotation of a Fleet. How many writes does the operator make?"},
		{Name: "annotate-reconciles", Answer: lab.Number{}, Text: "And how many reconciles?"},
		{Name: "burst-adds", Answer: lab.Number{},
			Text: fmt.Sprintf("While a reconcile is under way, one of its pods is edited %d times. "+
				"How often do the handlers add the Fleet's key to the queue?", edits)},
		{Name: "burst-reconciles", Answer: lab.Number{}, Text: "How many reconciles come of that?"},
		{Name: "others-while-stuck", Answer: lab.YesOrNo,
			Text: "The write of that reconcile does not come back for a while. Is another Fleet reconciled meanwhile?"},
		{Name: "events-at-rest", Answer: lab.Number{},
			Text: "At last nobody does anything for two seconds. How many watch events and reconciles are there?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	b, err := newBed(ctx, bench)
	if err != nil {
		return err
	}
	defer b.cluster.Stop()
	for _, part := range []func(context.Context) error{b.create, b.scale, b.annotate, b.burst, b.wait} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}
