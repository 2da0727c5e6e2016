// Package twoedits edits by hand what an operator owns or reads, and tells what becomes of each edit.
package twoedits

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// What can become of an edit.
const (
	stompedAtOnce = "stomped at once"
	stompedLater  = "stomped at the next reconcile"
	survives      = "survives"
	honoured      = "honoured"
)

var fates = lab.Choice{stompedAtOnce, stompedLater, survives, honoured}

// Lab is lab 5.
var Lab = lab.Lab{
	Number:    5,
	Name:      "two-edits",
	Title:     "Two edits: one gets stomped, one survives",
	Module:    "4.1 The reconcile principle",
	Needs:     lab.ControlPlane,
	Minutes:   45,
	Page:      page,
	Questions: questions(),
	Run:       run,
}

func questions() []lab.Question {
	var all []lab.Question
	for _, e := range edits {
		all = append(all, lab.Question{Name: e.name, Text: e.says + " What becomes of that?", Answer: fates})
	}
	return append(all,
		lab.Question{Name: "writes-of-stomped-status", Answer: lab.Number{},
			Text: "How many writes did it take the operator to stomp the edit of the status?"},
		lab.Question{Name: "writes-of-defaulted-field", Answer: lab.Number{},
			Text: "And how many to put the value back that was removed from the spec?"})
}

func run(ctx context.Context, bench *lab.Bench) error {
	b, err := newBed(ctx, bench)
	if err != nil {
		return err
	}
	defer b.close()
	for _, e := range edits {
		fate, err := b.fate(ctx, e)
		if err != nil {
			return err
		}
		b.Measure(e.name, fate)
	}
	b.Measure("writes-of-stomped-status", len(b.cluster.Writes("fleet-status")))
	b.Measure("writes-of-defaulted-field", len(b.cluster.Writes("defaulted-field")))
	return nil
}
