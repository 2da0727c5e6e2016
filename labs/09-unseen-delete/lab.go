// Package unseendelete deletes pods while an informer looks, and while it cannot, and shows what its handlers are told.
package unseendelete

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

var (
	versions = lab.Choice{"v1", "v2"}
	outcomes = lab.Choice{enqueued, nothing, failure, panics}
	swaps    = lab.Choice{deleteAndAdd, oneUpdate}
)

// Lab is lab 9.
var Lab = lab.Lab{
	Number:  9,
	Name:    "unseen-delete",
	Title:   "The delete you never saw, delivered anyway",
	Module:  "4.2 The machinery",
	Needs:   lab.ControlPlane,
	Minutes: 45,
	Page:    page,
	Questions: []lab.Question{
		{Name: "seen-version", Answer: versions,
			Text: "A pod that the informer knows with the label version=v1 is labelled v2 and deleted, and the informer sees both. " +
				"Which label has the pod that OnDelete gets?"},
		{Name: "unseen-tombstone", Answer: lab.YesOrNo,
			Text: "The same while the informer sees nothing; then its watch ends with 410 and it relists. " +
				"Does OnDelete get a tombstone, a DeletedFinalStateUnknown?"},
		{Name: "unseen-version", Answer: versions, Text: "Which label has the pod in there?"},
		{Name: "before-relist-listed", Answer: lab.YesOrNo,
			Text: "After the deletion and before the relist: does the lister still have the pod?"},
		{Name: "at-tombstone-listed", Answer: lab.YesOrNo, Text: "And while OnDelete runs?"},
		{Name: "at-tombstone-ahead", Answer: lab.YesOrNo,
			Text: "While OnDelete runs, does the lister have a pod whose OnAdd is still to come?"},
		{Name: "seen-swap", Answer: swaps,
			Text: "A pod is deleted and created again under its name, before the informer's eyes. How are handlers told that one " +
				"pod took the place of another?"},
		{Name: "unseen-swap", Answer: swaps, Text: "And if that happened unseen, before the relist?"},
		{Name: "brief-calls", Answer: lab.Number{},
			Text: "A pod is created and deleted unseen. How many calls do handlers get for it?"},
		{Name: "kept-calls", Answer: lab.Number{},
			Text: "A pod is as it was, and comes with the relist. How many calls do handlers get for it?"},
		{Name: "assertion", Answer: outcomes,
			Text: "OnDelete does key, err := MetaNamespaceKeyFunc(obj.(*corev1.Pod)). What comes of the unseen deletion?"},
		{Name: "checked-assertion", Answer: outcomes,
			Text: "OnDelete does pod, ok := obj.(*corev1.Pod), and returns if not ok. What comes of it?"},
		{Name: "meta-key", Answer: outcomes, Text: "OnDelete does key, err := MetaNamespaceKeyFunc(obj). What comes of it?"},
		{Name: "deletion-handling-key", Answer: outcomes,
			Text: "OnDelete does key, err := DeletionHandlingMetaNamespaceKeyFunc(obj). What comes of it?"},
		{Name: "seen-failures", Answer: lab.Number{},
			Text: "For a deletion that the informer saw, how many of these four handlers fail to get the key?"},
		{Name: "relist-requests", Answer: lab.Number{},
			Text: "From the 410 to being up to date and watching again: how many requests does the reflector make?"},
		{Name: "relist-lists", Answer: lab.Number{}, Text: "How many of them are LISTs?"},
		{Name: "relist-events", Answer: lab.Number{},
			Text: "There are then four pods. How many events does the relist bring?"},
		{Name: "relist-version", Answer: lab.Choice{lastKnown, "0", noVersion},
			Text: "Which resourceVersion does the first of them name?"},
		{Name: "list-mode-requests", Answer: lab.Number{},
			Text: "And how many requests does a reflector make with KUBE_FEATURE_WatchListClient=false?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	c, err := cluster.Start(ctx, bench, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := c.Do(ctx, cluster.Create(kept, seen, seenSwap, unseen, unseenSwap)); err != nil {
		return err
	}
	e, err := newExperiment(c, bench)
	if err != nil {
		return err
	}
	defer e.stop()
	if err := e.start(ctx); err != nil {
		return err
	}
	if err := e.whileItWatches(ctx); err != nil {
		return err
	}
	return e.whileItIsBlind(ctx)
}
