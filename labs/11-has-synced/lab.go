// Package hassynced asks an informer whether it has synced, at moments when it does not know what a controller needs to know.
package hassynced

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// Lab is lab 11.
var Lab = lab.Lab{
	Number:  11,
	Name:    "has-synced",
	Title:   "What HasSynced promises, and three things it does not",
	Module:  "4.2 The machinery",
	Needs:   lab.ControlPlane,
	Minutes: 45,
	Page:    page,
	Questions: []lab.Question{
		{Name: "store-before-bookmark", Answer: lab.Number{},
			Text: "There are ten ConfigMaps. An informer's first watch has brought it nine of them, and not the bookmark " +
				"that ends the initial events. How many are in its store?"},
		{Name: "store-at-first-add", Answer: lab.Number{},
			Text: "The tenth and the bookmark come. How many are in the store when a handler gets the first OnAdd?"},
		{Name: "synced-slow-handler", Answer: lab.YesOrNo,
			Text: "A handler is still in its first OnAdd. Does the informer's HasSynced ever become true?"},
		{Name: "registration-slow-handler", Answer: lab.YesOrNo,
			Text: "And the HasSynced of what AddEventHandler returned for this handler?"},
		{Name: "keys-when-handled", Answer: lab.Number{},
			Text: "A second handler adds keys to a queue, and its registration has synced. No worker runs. " +
				"How many keys wait?"},
		{Name: "registration-late-handler", Answer: lab.YesOrNo,
			Text: "A handler is added to the informer that has synced long ago, and is in its first OnAdd. " +
				"Has its registration synced?"},
		{Name: "synced-while-held", Answer: lab.YesOrNo,
			Text: "The watch brings no more events, and five ConfigMaps are created. Does HasSynced say true?"},
		{Name: "cached-while-held", Answer: lab.Number{}, Text: "How many ConfigMaps does the lister have, of fifteen?"},
		{Name: "version-while-held", Answer: versions,
			Text: "Compared with the last write, the store's LastStoreSyncResourceVersion is what?"},
		{Name: "fleet-seen", Answer: lab.YesOrNo,
			Text: "Two informers have synced, and the one of the pods is held. Three pods are created, and after them " +
				"their Fleet. Does the cache have the Fleet?"},
		{Name: "pods-seen", Answer: lab.Number{}, Text: "And how many of its pods does the cache have, all of which are older?"},
		{Name: "synced-while-cut-off", Answer: lab.YesOrNo,
			Text: "The connection breaks, and every attempt at another one fails. Does HasSynced say true?"},
		{Name: "served-while-cut-off", Answer: answers,
			Text: "What does the lister return for a ConfigMap that was changed since?"},
		{Name: "synced-after-stop", Answer: lab.YesOrNo, Text: "The informer is stopped for good. Does HasSynced say true?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	started, err := cluster.Start(ctx, bench, cluster.Options{})
	if err != nil {
		return err
	}
	defer started.Stop()
	s, err := newSettings(ctx, started)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, part := range []func(context.Context, *lab.Bench, *settings) error{
		promise, lateHandler, notCurrent, notTogether, notConnected, notRunning,
	} {
		if err := part(ctx, bench, s); err != nil {
			return err
		}
	}
	return nil
}
