// Package rosettastone runs the hand-wired operator against a cluster, and breaks what it keeps.
package rosettastone

import (
	"context"
	_ "embed"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

const (
	foreign = "the foreign pod"
	own     = "one of the Fleet's own"
	nobody  = "none"
)

// Lab is lab 3.
var Lab = lab.Lab{
	Number:  3,
	Name:    "rosetta-stone",
	Title:   "The Rosetta Stone, running against a cluster you can break",
	Module:  "4.1 The reconcile principle",
	Needs:   lab.ControlPlane,
	Minutes: 60,
	Page:    page,
	Questions: []lab.Question{
		{Name: "created-for-one", Answer: lab.Number{},
			Text: "A Fleet of 3 runs. Somebody deletes one pod. How many pods does the operator create?"},
		{Name: "name-comes-back", Answer: lab.YesOrNo, Text: "Is there a pod of the deleted one's name again?"},
		{Name: "names-kept-by-none", Answer: lab.Number{},
			Text: "Somebody deletes all 3. When there are 3 again, how many names are the same as before?"},
		{Name: "pods-after-quarantine", Answer: lab.Number{},
			Text: "Somebody changes the label app of one of the 3 pods. How many pods are there in the end?"},
		{Name: "quarantined-is-owned", Answer: lab.YesOrNo, Text: "Does the pod with the changed label still have its owner reference?"},
		{Name: "foreign-is-adopted", Answer: lab.YesOrNo,
			Text: "Somebody creates a pod of their own with the label app=web, while the Fleet has its 3. " +
				"Does it get the Fleet as its owner?"},
		{Name: "deleted-for-foreign", Answer: lab.Choice{foreign, own, nobody}, Text: "Which pod is deleted then?"},
		{Name: "generations-behind", Answer: lab.Number{},
			Text: "The operator is killed. Meanwhile a pod is deleted, another gets another label, " +
				"and the Fleet is scaled to 7 and then to 5. " +
				"How far is status.observedGeneration behind metadata.generation?"},
		{Name: "replicas-in-status-while-dead", Answer: lab.Number{},
			Text: "How many pods are there according to status.replicas, while one is left?"},
		{Name: "created-after-restart", Answer: lab.Number{},
			Text: "The operator is started again. How many pods does it create?"},
		{Name: "deletions-told-after-restart", Answer: lab.Number{},
			Text: "How many watch events tell it that a pod was deleted?"},
		{Name: "most-pods-after-restart", Answer: lab.Number{},
			Text: "What is the largest number of pods that it has while it catches up?"},
		{Name: "deletes-by-operator", Answer: lab.Number{},
			Text: "The Fleet is deleted. How many of its 5 pods does the operator delete?"},
		{Name: "pods-left", Answer: lab.Number{}, Text: "How many pods are left in the namespace?"},
	},
	Run: run,
}

func run(ctx context.Context, bench *lab.Bench) error {
	b, err := newBed(ctx, bench)
	if err != nil {
		return err
	}
	defer b.cluster.Stop()
	for _, part := range []func(context.Context) error{
		b.create, b.deleteOne, b.deleteAll, b.quarantine, b.intrude, b.changeWhileDead, b.restart, b.deleteFleet,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}
