package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/zone"
)

// publication is what came of publishing.
type publication struct {
	// fleet is the Fleet as it is after the finalizer was added or removed.
	fleet *v1alpha1.Fleet
	// failure is why the records are not as they should be; again is when to try again.
	failure error
	again   time.Duration
}

// publish makes the zone hold what it should. What goes wrong outside the cluster stops nothing else: it is a failure
// that the status tells of, and the next attempt waits longer than the one before. The error is the API server's.
func (c *Controller) publish(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) (publication, error) {
	key := cache.MetaObjectToName(f)
	if wait, failure := c.dnsBackoff.waiting(key, f.Generation, c.now()); wait > 0 {
		return publication{fleet: f, failure: failure, again: wait}, nil
	}
	after, failure, err := c.takePublishingSteps(ctx, f, plan)
	if err != nil {
		return publication{}, err
	}
	if failure == nil {
		c.dnsBackoff.forget(key)
		return publication{fleet: after}, nil
	}
	wait := c.dnsBackoff.failed(key, f.Generation, failure, c.now())
	klog.FromContext(ctx).Error(failure, "publishing failed; will try again", "after", wait)
	return publication{fleet: after, failure: failure, again: wait}, nil
}

// takePublishingSteps goes on until the records are as they should be: a Fleet whose zone has changed is withdrawn,
// held for the new zone and published there.
func (c *Controller) takePublishingSteps(
	ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan,
) (after *v1alpha1.Fleet, failure, err error) {
	for {
		step := fleet.NextPublishingStep(f)
		if step != fleet.NothingToPublish && c.dns == nil {
			return f, fleet.ErrNoServer, nil
		}
		switch step {
		case fleet.NothingToPublish:
			return f, nil, nil
		case fleet.Publish:
			return f, c.publishRecords(ctx, f, plan), nil
		case fleet.Hold:
			if failure = c.mayPublish(ctx, f, plan); failure != nil {
				return f, failure, nil
			}
			f, err = c.hold(ctx, f)
		case fleet.Withdraw:
			if failure = c.withdrawRecords(ctx, f); failure != nil {
				return f, failure, nil
			}
			f, err = c.letGo(ctx, f)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// mayPublish looks before a Fleet is held. Where the zone is not served, or the name is another's, there is nothing to
// hold it for, and a mistake in spec.dns must not keep it from being corrected or deleted.
func (c *Controller) mayPublish(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) error {
	want, err := fleet.WantedEntry(f, plan)
	if err != nil {
		return err
	}
	held, err := c.dns.Lookup(ctx, fleet.WantedZone(f), want.Name)
	if err == nil && !held.Free() && !held.OwnedBy(want.Owner) {
		err = zone.Taken(held)
	}
	return err
}

// publishRecords compares and swaps. Who loses the race reads again.
func (c *Controller) publishRecords(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) error {
	want, err := fleet.WantedEntry(f, plan)
	if err != nil {
		return err
	}
	zoneName := fleet.WantedZone(f)
	for attempt := 1; ; attempt++ {
		held, err := c.dns.Lookup(ctx, zoneName, want.Name)
		if err != nil || held.Equal(want) {
			return err
		}
		err = c.dns.Publish(ctx, zoneName, held, want)
		if err == nil {
			klog.FromContext(ctx).V(2).Info("published", "name", want.Name, "addresses", len(want.Addresses))
		}
		if !errors.Is(err, zone.ErrConflict) || attempt == 3 {
			return err
		}
	}
}

func (c *Controller) withdrawRecords(ctx context.Context, f *v1alpha1.Fleet) error {
	held := fleet.HeldZone(f)
	name, err := zone.FQDN(f.Name, f.Namespace, held)
	if err != nil {
		return nil // nothing was ever published under a name that is none
	}
	return c.dns.Withdraw(ctx, held, name, string(f.UID))
}

// hold writes down, before the first record is written, that there may be records and where.
func (c *Controller) hold(ctx context.Context, f *v1alpha1.Fleet) (*v1alpha1.Fleet, error) {
	return c.patchMetadata(ctx, f, fleet.WithDNSFinalizer(f.Finalizers), fleet.WantedZone(f))
}

// letGo writes down, after the last record is gone, that there are none.
func (c *Controller) letGo(ctx context.Context, f *v1alpha1.Fleet) (*v1alpha1.Fleet, error) {
	return c.patchMetadata(ctx, f, fleet.WithoutDNSFinalizer(f.Finalizers), nil)
}

// patchMetadata names the version it was made from, since it replaces the list of finalizers whole. It is a patch and
// not an update so that nothing else of the Fleet is written, not even in another spelling.
func (c *Controller) patchMetadata(ctx context.Context, f *v1alpha1.Fleet, finalizers []string, zoneName any) (*v1alpha1.Fleet, error) {
	patch := marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": f.ResourceVersion,
		"finalizers":      finalizers,
		"annotations":     map[string]any{v1alpha1.DNSZoneAnnotation: zoneName},
	}})
	patched, err := c.fleets.FleetV1alpha1().Fleets(f.Namespace).Patch(
		ctx, f.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("changing the finalizers: %w", err)
	}
	c.ownWrites.wrote(patched)
	return patched, nil
}
