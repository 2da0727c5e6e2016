// Package onepop gives the same events to client-go's two queues behind an informer, and shows what their consumer gets.
package onepop

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// milestones are the events that the questions about the order of the stream ask for.
var milestones = lab.Ordering{"a added", "b added", "a deleted", "c added"}

// Lab is lab 8.
var Lab = lab.Lab{
	Number:  8,
	Name:    "one-pop",
	Title:   "One Pop, one key, several deltas",
	Module:  "4.2 The machinery",
	Needs:   lab.Nothing,
	Minutes: 40,
	Page:    page,
	Questions: []lab.Question{
		{Name: "delta-pops", Answer: lab.Number{},
			Text: "An object is added, updated and deleted before anyone calls Pop on a DeltaFIFO. How many Pops does that make?"},
		{Name: "delta-deltas", Answer: lab.Number{}, Text: "How many deltas do they return in all?"},
		{Name: "real-pops", Answer: lab.Number{}, Text: "The same on a RealFIFO: how many Pops?"},
		{Name: "delta-deltas-deleted-twice", Answer: lab.Number{},
			Text: "An object is added, deleted and deleted again. How many deltas does the DeltaFIFO return?"},
		{Name: "real-deltas-deleted-twice", Answer: lab.Number{}, Text: "And the RealFIFO?"},
		{Name: "delta-order", Answer: milestones,
			Text: "Seven events: a added, b added, a updated, a deleted, b updated, b updated, c added. " +
				"In which order do these four come out of a DeltaFIFO?"},
		{Name: "real-order", Answer: milestones, Text: "And out of a RealFIFO?"},
		{Name: "real-batches", Answer: lab.Number{},
			Text: "Informers call PopBatch, which takes several events, but no two of one key. How many calls for the seven events?"},
		{Name: "delta-relist-tombstones", Answer: lab.Number{},
			Text: "The store knows a and b; a relist finds only a. How many DeletedFinalStateUnknown does the DeltaFIFO return?"},
		{Name: "informer-relist-pops", Answer: lab.Number{},
			Text: "The same relist on a RealFIFO set up as informers set it up: how many Pops?"},
		{Name: "informer-relist-tombstones", Answer: lab.Number{}, Text: "And how many DeletedFinalStateUnknown are in them?"},
	},
	Run: run,
}

func run(_ context.Context, bench *lab.Bench) error {
	for _, part := range []func(*lab.Bench) error{oneKey, deletedTwice, stream, relist} {
		if err := part(bench); err != nil {
			return err
		}
	}
	return nil
}
