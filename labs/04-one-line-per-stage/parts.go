package onelineperstage

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
)

// create lets all happen as it comes.
func (b *bed) create(ctx context.Context) error {
	b.Say("\nA Fleet of 2 is created, and nothing is held back:")
	r := b.record("create")
	if err := b.createFleet(ctx, web, 2); err != nil {
		return err
	}
	if err := b.running.Rest(ctx); err != nil {
		return err
	}
	t := r.trace()
	b.show(t)
	b.Measure("create-writes", len(t.writes))
	b.Measure("create-events", len(t.events))
	b.Measure("create-adds", t.count(web, cluster.Enqueued))
	b.Measure("create-reconciles", t.count(web, cluster.Reconciled))
	return nil
}

// scale lets one event pass at a time: what the operator makes of it is over before the next one comes.
func (b *bed) scale(ctx context.Context) error {
	b.Say("\nIt is scaled to 3. The events of the edit, of the new pod and of the status are let through one after the other:")
	fleets, pods := proxy.Watched{Resource: "fleets", Name: web}, proxy.Watched{Resource: "pods"}
	b.cluster.Proxy.Hold(fleets)
	b.cluster.Proxy.Hold(pods)
	if err := b.hold(ctx); err != nil {
		return err
	}
	r := b.record("scale")
	for i, held := range []proxy.Watched{fleets, pods, fleets} {
		b.cluster.Proxy.Release(held)
		if err := r.reach(ctx, web, cluster.Reconciled, i+1); err != nil {
			return err
		}
		b.cluster.Proxy.Hold(held)
	}
	b.cluster.Proxy.Release(fleets)
	b.cluster.Proxy.Release(pods)
	if err := b.running.Rest(ctx); err != nil {
		return err
	}
	t := r.trace()
	b.show(t)
	b.Measure("scale-order", t.inOrder(first))
	b.Measure("scale-echoes", t.inOrder(echoes))
	b.Measure("scale-writes", len(t.writes))
	b.Measure("scale-events", len(t.events))
	b.Measure("scale-adds", t.count(web, cluster.Enqueued))
	b.Measure("scale-reconciles", t.count(web, cluster.Reconciled))
	b.Measure("scale-idle-reconciles", t.idleReconciles())
	return nil
}

// hold makes the edit, whose event is held back, and lets some time pass for the operator: until it has reconciled another
// Fleet that was edited later.
func (b *bed) hold(ctx context.Context) error {
	r := b.record("hold")
	if _, err := b.patchFleet(ctx, web, `{"spec":{"replicas":3}}`); err != nil {
		return err
	}
	if _, err := b.patchFleet(ctx, db, `{"metadata":{"annotations":{"note":"later"}}}`); err != nil {
		return err
	}
	if err := r.reach(ctx, db, cluster.Reconciled, 1); err != nil {
		return err
	}
	b.Measure("writes-while-held", len(r.trace().writes))
	return nil
}

func (b *bed) annotate(ctx context.Context) error {
	b.Say("\nIt gets an annotation:")
	r := b.record("annotate")
	if _, err := b.patchFleet(ctx, web, `{"metadata":{"annotations":{"note":"mine"}}}`); err != nil {
		return err
	}
	if err := b.running.Rest(ctx); err != nil {
		return err
	}
	t := r.trace()
	b.show(t)
	b.Measure("annotate-writes", len(t.writes))
	b.Measure("annotate-events", len(t.events))
	b.Measure("annotate-reconciles", t.count(web, cluster.Reconciled))
	return nil
}

// edits is how often a pod is edited.
const edits = 10

// burst edits a pod while a worker is in the middle of a reconcile: its write of the status is held back.
func (b *bed) burst(ctx context.Context) error {
	b.Say("\nA reconcile is stuck in its write of the status. Meanwhile a pod of the Fleet is edited %d times:", edits)
	arrived, leave := make(chan struct{}, 1), make(chan struct{})
	b.cluster.Proxy.Intercept(func(call *proxy.Call) (*http.Response, error) {
		if call.Place.Kind == "PUT fleets/status" && call.Name == web {
			select {
			case arrived <- struct{}{}:
			default:
			}
			select {
			case <-leave:
			case <-call.Context().Done():
			}
		}
		return call.Forward()
	})
	defer b.cluster.Proxy.Intercept(nil)
	stuck := b.record("stuck")
	if _, err := b.patchFleet(ctx, web, `{"spec":{"revisionHistoryLimit":5}}`); err != nil {
		return err
	}
	select {
	case <-arrived:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r := b.record("burst")
	for i := range edits {
		if err := b.editPod(ctx, web, fmt.Sprint(i)); err != nil {
			return err
		}
	}
	// The handlers are told of pods in order: when they have been told of db's, they have been told of web's.
	if err := b.editPod(ctx, db, "last"); err != nil {
		return err
	}
	if err := r.reach(ctx, db, cluster.Reconciled, 1); err != nil {
		return err
	}
	t := r.trace()
	b.Say("  the key of the Fleet was added to the queue %d times, and handed out %d times",
		t.count(web, cluster.Enqueued), t.count(web, cluster.Reconciling))
	b.Measure("burst-adds", t.count(web, cluster.Enqueued))
	b.Measure("reconciles-while-stuck", t.count(web, cluster.Reconciling))
	b.Measure("others-while-stuck", t.count(db, cluster.Reconciled) > 0)

	// What the write itself leads to is not to be mixed up with it.
	fleets := proxy.Watched{Resource: "fleets"}
	b.cluster.Proxy.Hold(fleets)
	close(leave)
	if err := stuck.reach(ctx, web, cluster.Reconciled, 2); err != nil {
		return err
	}
	reconciles := r.trace().count(web, cluster.Reconciling)
	b.Say("  then the write comes back: %d reconcile for all of that", reconciles)
	b.Measure("burst-reconciles", reconciles)
	b.cluster.Proxy.Release(fleets)
	return b.running.Rest(ctx)
}

// wait does nothing.
func (b *bed) wait(ctx context.Context) error {
	r := b.record("wait")
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	t := r.trace()
	b.Say("\nTwo seconds later there were %d events and %d lines in the log.", len(t.events), len(t.lines))
	b.Measure("events-at-rest", len(t.events)+t.count(web, cluster.Reconciling))
	return nil
}
