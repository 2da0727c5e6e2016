// Package publish carries out what is to be done about a Fleet's records outside the cluster, in the order that leaves
// nothing behind wherever it is interrupted: hold the Fleet, write the records; withdraw the records, let go of the Fleet.
//
// It talks to the DNS server. How a Fleet's metadata are written is for the operator to know.
package publish

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/zone"
)

// Server is an authoritative DNS server that takes updates (shared/zone/rfc2136).
type Server interface {
	Lookup(ctx context.Context, zoneName, name string) (zone.Entry, error)
	Publish(ctx context.Context, zoneName string, held, want zone.Entry) error
	Withdraw(ctx context.Context, zoneName, name, owner string) error
}

// SetHold writes the zone that a Fleet is held for, or that it is held for none (empty), into the Fleet's metadata: the
// finalizer v1alpha1.DNSFinalizer and the annotation v1alpha1.DNSZoneAnnotation, in one write that fails if the Fleet is no
// longer the version given. It returns the Fleet as it is then, and leaves the one given as it was.
type SetHold func(ctx context.Context, f *v1alpha1.Fleet, zoneName string) (*v1alpha1.Fleet, error)

// Outcome is what came of publishing.
type Outcome struct {
	// Fleet is the Fleet as it is after it was held or let go.
	Fleet *v1alpha1.Fleet
	// Failure is why the records are not as they should be; Again is when to try again.
	Failure error
	Again   time.Duration
}

// Publisher publishes Fleets. It may be used for several at once.
type Publisher struct {
	// server is nil when the operator was given none.
	server  Server
	backoff *backoff
	now     func() time.Time
}

// New returns a publisher. Without a server (nil) it fails with fleet.ErrNoServer wherever there is something to do.
func New(server Server) *Publisher {
	return &Publisher{server: server, backoff: newBackoff(), now: time.Now}
}

// Publish makes the zone hold what it should. What goes wrong outside the cluster stops nothing else: it is a failure
// that the status tells of, and the next attempt waits longer than the one before. The error is that of setHold.
func (p *Publisher) Publish(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan, setHold SetHold) (Outcome, error) {
	key := cache.MetaObjectToName(f)
	if fleet.NextPublishingStep(f) == fleet.AskForZone {
		// There is nothing to attempt, and whoever restores the annotation wakes the operator.
		return Outcome{Fleet: f, Failure: fleet.ErrUnknownZone}, nil
	}
	if wait, failure := p.backoff.waiting(key, f.Generation, p.now()); wait > 0 {
		return Outcome{Fleet: f, Failure: failure, Again: wait}, nil
	}
	after, failure, err := p.takeSteps(ctx, f, plan, setHold)
	if err != nil {
		return Outcome{}, err
	}
	if failure == nil {
		p.backoff.forget(key)
		return Outcome{Fleet: after}, nil
	}
	wait := p.backoff.failed(key, f.Generation, failure, p.now())
	klog.FromContext(ctx).Error(failure, "publishing failed; will try again", "after", wait)
	return Outcome{Fleet: after, Failure: failure, Again: wait}, nil
}

// Forget drops what is remembered of a Fleet that is gone.
func (p *Publisher) Forget(key cache.ObjectName) { p.backoff.forget(key) }

// takeSteps goes on until the records are as they should be: a Fleet whose zone has changed is withdrawn, held for the
// new zone and published there.
func (p *Publisher) takeSteps(
	ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan, setHold SetHold,
) (after *v1alpha1.Fleet, failure, err error) {
	for {
		step := fleet.NextPublishingStep(f)
		if step != fleet.NothingToPublish && p.server == nil {
			return f, fleet.ErrNoServer, nil
		}
		switch step {
		case fleet.NothingToPublish:
			return f, nil, nil
		case fleet.Publish:
			return f, p.write(ctx, f, plan), nil
		case fleet.Hold:
			if failure = p.mayWrite(ctx, f, plan); failure != nil {
				return f, failure, nil
			}
			// There may be records from here on, and this is where.
			f, err = setHold(ctx, f, fleet.WantedZone(f))
		case fleet.Withdraw:
			if failure = p.withdraw(ctx, f); failure != nil {
				return f, failure, nil
			}
			f, err = setHold(ctx, f, "")
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// mayWrite looks before a Fleet is held. Where the zone is not served, or the name is another's, there is nothing to
// hold it for, and a mistake in spec.dns must not keep it from being corrected or deleted. One that is held already, and
// whose zone somebody removed, may have records: where they are is written down again without asking.
func (p *Publisher) mayWrite(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) error {
	if fleet.HasDNSFinalizer(f) {
		return nil
	}
	want, err := fleet.WantedEntry(f, plan)
	if err != nil {
		return err
	}
	held, err := p.server.Lookup(ctx, fleet.WantedZone(f), want.Name)
	if err == nil && !held.Free() && !held.OwnedBy(want.Owner) {
		err = zone.Taken(held)
	}
	return err
}

// write compares and swaps. Who loses the race reads again.
func (p *Publisher) write(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) error {
	want, err := fleet.WantedEntry(f, plan)
	if err != nil {
		return err
	}
	zoneName := fleet.WantedZone(f)
	for attempt := 1; ; attempt++ {
		held, err := p.server.Lookup(ctx, zoneName, want.Name)
		if err != nil || held.Equal(want) {
			return err
		}
		err = p.server.Publish(ctx, zoneName, held, want)
		if err == nil {
			klog.FromContext(ctx).V(2).Info("published", "name", want.Name, "addresses", len(want.Addresses))
		}
		if !errors.Is(err, zone.ErrConflict) || attempt == 3 {
			return err
		}
	}
}

func (p *Publisher) withdraw(ctx context.Context, f *v1alpha1.Fleet) error {
	held := fleet.HeldZone(f)
	name, err := zone.FQDN(f.Name, f.Namespace, held)
	if err != nil {
		return nil // nothing was ever published under a name that is none
	}
	return p.server.Withdraw(ctx, held, name, string(f.UID))
}
