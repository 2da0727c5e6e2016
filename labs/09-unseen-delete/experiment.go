package unseendelete

import (
	"context"
	"errors"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// The pods, by what becomes of them.
const (
	kept       = "kept"
	seen       = "seen"        // labelled and deleted while the informers watch
	seenSwap   = "seen-swap"   // replaced while they watch
	unseen     = "unseen"      // labelled and deleted while they are blind
	unseenSwap = "unseen-swap" // replaced while they are blind
	brief      = "brief"       // created and deleted while they are blind
	fresh      = "fresh"       // created while they are blind
	after      = "after"       // created when they see again: who was told of it was told all
)

// experiment has an informer as informers are, with a witness, and beside it one that begins with a LIST.
type experiment struct {
	*lab.Bench
	cluster          *cluster.Cluster
	informer, lister *cluster.Informer
	witness          witness
}

func newExperiment(c *cluster.Cluster, bench *lab.Bench) (*experiment, error) {
	e := &experiment{Bench: bench, cluster: c}
	var err error
	if e.informer, err = c.NewInformer(cluster.WatchList); err != nil {
		return nil, err
	}
	if e.lister, err = c.NewInformer(cluster.ListThenWatch); err != nil {
		return nil, err
	}
	e.witness, err = newWitness(e.informer)
	return e, err
}

func (e *experiment) start(ctx context.Context) error {
	return errors.Join(e.informer.Start(ctx), e.lister.Start(ctx))
}

func (e *experiment) stop() {
	e.informer.Stop()
	e.lister.Stop()
}

// await waits until both informers have told that there is a pod.
func (e *experiment) await(ctx context.Context, pod string) error {
	return errors.Join(e.informer.Await(ctx, "add", pod), e.lister.Await(ctx, "add", pod))
}

// begin begins new records.
func (e *experiment) begin() {
	e.informer.ClearRecord()
	e.lister.ClearRecord()
}

func (e *experiment) show(record cluster.Record) {
	for _, entry := range record {
		e.Say("  %s", entry)
	}
}
