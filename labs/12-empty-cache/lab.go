// Package emptycache sets a controller to work on a cache that does not have everything yet, and counts what it does.
package emptycache

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// Lab is lab 12.
var Lab = lab.Lab{
	Number:  12,
	Name:    "empty-cache",
	Title:   "Drill 4.C4: a controller with an empty cache concludes that nothing should exist",
	Module:  "4.2 The machinery",
	Needs:   lab.ControlPlane,
	Minutes: 60,
	Page:    page,
	Questions: []lab.Question{
		{Name: "deleted-unsynced", Answer: lab.Number{},
			Text: "A Fleet of 50 has its 50 pods. A controller starts; its cache of pods is full, that of Fleets is empty, " +
				"and it does not wait. How many pods does its first reconcile delete?"},
		{Name: "lister-unsynced", Answer: answers, Text: "What does the lister of Fleets say when it is asked for that Fleet?"},
		{Name: "pods-recovered", Answer: lab.Number{},
			Text: "The Fleet comes into the cache. How many pods are there in the end?"},
		{Name: "same-names", Answer: lab.Number{},
			Text: "Pods are numbered, web-0 to web-49. How many of the names of before are there again?"},
		{Name: "same-pods", Answer: lab.Number{}, Text: "And how many of the pods of before, by their uid?"},
		{Name: "keys-while-waiting", Answer: lab.Number{},
			Text: "The same start, but the worker waits for the caches. The handlers have seen all 50 pods. " +
				"How many keys are in the queue?"},
		{Name: "deleted-synced", Answer: lab.Number{},
			Text: "The Fleet comes into the cache. How many pods does the first reconcile delete?"},
		{Name: "pods-generated", Answer: lab.Number{},
			Text: "Now the Fleet is in the cache and its 50 pods are not. Missing pods get generated names. How many pods " +
				"are there after the first reconcile?"},
		{Name: "pods-numbered", Answer: lab.Number{}, Text: "And how many if missing pods are numbered?"},
		{Name: "pods-generated-later", Answer: lab.Number{},
			Text: "Back to generated names: the pods come into the cache. How many pods are there in the end?"},
		{Name: "pods-unguarded", Answer: lab.Number{},
			Text: "Both caches are synced. A Fleet of 3 is created and reconciled; before the cache shows any of the new pods, " +
				"somebody labels the Fleet, and it is reconciled again. Names are generated. How many pods are there?"},
		{Name: "pods-by-name", Answer: lab.Number{}, Text: "And with numbered names?"},
		{Name: "refused-by-name", Answer: lab.Number{}, Text: "How many creates are refused then?"},
		{Name: "again-expectations", Answer: lab.Number{},
			Text: "Generated names again, but the controller counts the creates that it has not seen yet, and waits. " +
				"How many pods does the second reconcile create?"},
		{Name: "again-own-writes", Answer: lab.Number{},
			Text: "And if it remembers the version of its last write, and asks how far the cache has come?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	started, err := cluster.Start(ctx, bench, cluster.Options{})
	if err != nil {
		return err
	}
	defer started.Stop()
	for _, part := range []func(context.Context, *lab.Bench, *cluster.Cluster) error{
		noFleets, noFleetsYet, noPods, noOwnWrites,
	} {
		if err := part(ctx, bench, started); err != nil {
			return err
		}
	}
	return nil
}
