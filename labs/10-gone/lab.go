// Package gone has etcd and the API server forget a version that an informer knows, and shows what becomes of whom.
package gone

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

var outcomes = lab.Choice{answered, gone410}

// Lab is lab 10.
var Lab = lab.Lab{
	Number:  10,
	Name:    "gone",
	Title:   "The 410 under your own informer, in three layers",
	Module:  "4.2 The machinery",
	Needs:   lab.ControlPlane,
	Minutes: 60,
	Page:    page,
	Questions: []lab.Question{
		{Name: "compaction-watch", Answer: outcomes,
			Text: "Pods change, etcd is compacted, the API server runs on. What does a WATCH of pods from the version before bring?"},
		{Name: "compaction-exact-list", Answer: outcomes,
			Text: "A LIST of the pods at exactly that version (resourceVersionMatch=Exact)?"},
		{Name: "compaction-uncached-watch", Answer: outcomes,
			Text: "A WATCH from that version of Events, of which the API server has no watch cache?"},
		{Name: "compaction-relists", Answer: lab.Number{},
			Text: "Two informers were cut off before that compaction, and get their connections back. How many relists is that?"},
		{Name: "restart-watch", Answer: outcomes,
			Text: "Pods change, the API server is started again, etcd is not compacted. A WATCH of pods from the version before?"},
		{Name: "restart-exact-list", Answer: outcomes, Text: "A LIST of the pods at exactly that version?"},
		{Name: "restart-uncached-watch", Answer: outcomes, Text: "A WATCH of Events from that version?"},
		{Name: "both-exact-list", Answer: outcomes,
			Text: "Then etcd is compacted as well. A LIST of the pods at exactly that version?"},
		{Name: "expired-watch-status", Answer: lab.Number{},
			Text: "Which HTTP status has the answer to a WATCH that ends with 410?"},
		{Name: "sequence", Answer: sequence,
			Text: "An informer that was cut off meanwhile gets its connection back. In which order does this come about? " +
				"WATCH and WATCH+state name the version that it knows; WATCH+state brings the state first."},
		{Name: "lists", Answer: lab.Number{}, Text: "How many LISTs does it send?"},
		{Name: "list-mode-sequence", Answer: listSequence,
			Text: "And this, with KUBE_FEATURE_WatchListClient=false? " +
				"WATCH and LIST name the version that it knows, next WATCH that of the LIST."},
		{Name: "changed-calls", Answer: lab.Number{},
			Text: "A pod was changed three times meanwhile. How many calls do handlers get for it?"},
		{Name: "tombstones", Answer: lab.Number{}, Text: "One pod was deleted, another created and deleted. How many tombstones?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	c, err := cluster.Start(ctx, bench, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := c.Do(ctx, cluster.Create(kept, changed, late)); err != nil {
		return err
	}
	e, err := newExperiment(c, bench)
	if err != nil {
		return err
	}
	defer e.stop()
	for _, part := range []func(context.Context) error{e.start, e.numbers, e.etcdForgets, e.cacheForgets} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}
