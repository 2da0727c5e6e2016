package controller

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// reconcile brings one Fleet a step closer to what it wants, and returns when time alone will call for another look.
//
//  1. Read the Fleet from the cache, and leave it alone while the cache does not show what was last written.
//  2. Observe, and decide.
//  3. Claim: adopt and release.
//  4. Write the revision of the wanted template. If the API server refuses it, go on with those that there are.
//  5. Create and delete pods. If it only took some more, that is all: what was observed is out of date, and the events
//     of the new pods lead to the next reconcile.
//  6. Publish the addresses.
//  7. Prune old revisions.
//  8. Store the status.
//
// Every step can be interrupted before and after each of its writes: the next reconcile starts from what is there.
func (c *Controller) reconcile(ctx context.Context, key cache.ObjectName) (time.Duration, error) {
	f, err := c.fleetLister.Fleets(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		c.forget(key)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if wait, err := c.awaitOwnWrites(ctx, f); wait > 0 || err != nil {
		return wait, err
	}

	seen, err := c.observe(f)
	if err != nil {
		return 0, err
	}
	plan := fleet.Decide(seen)

	if err := c.claim(ctx, f, plan); err != nil {
		return 0, err
	}
	var outcome fleet.Outcome
	if outcome.Collision, err = c.writeRevision(ctx, f, plan); err != nil {
		if outcome.RevisionFailure = fleet.RevisionFailure(err); outcome.RevisionFailure == nil {
			return 0, err
		}
		plan = fleet.DecideWithoutRevision(seen)
	}
	var scaled scaling
	if !outcome.Collision {
		scaled = c.scale(ctx, f, plan)
		c.tell(f, fleet.ScaleEvents(scaled.created, scaled.deleted))
		if scaled.created > 0 && scaled.deleted == 0 && scaled.err() == nil {
			return expectationTimeout, nil
		}
		outcome.CreateFailure, outcome.DeleteFailure = scaled.createFailure, scaled.deleteFailure
	}
	published, err := c.publisher.Publish(ctx, f, plan, c.setHold)
	if err != nil {
		return 0, err
	}
	outcome.PublishFailure = published.Failure
	if err := c.prune(ctx, plan); err != nil {
		return 0, err
	}

	seen.Fleet = published.Fleet
	status := fleet.Status(seen, plan, outcome)
	if err := c.storeStatus(ctx, seen.Fleet, status); err != nil {
		return 0, err
	}
	c.tell(seen.Fleet, fleet.StatusEvents(f.Status, status))
	return soonest(plan.LookAgain, published.Again), errors.Join(outcome.RevisionFailure, scaled.err())
}

// awaitOwnWrites returns for how long a Fleet is to be left alone because the caches do not show what this process
// wrote. The events that they will come with enqueue the Fleet; the time is for the case that they never do.
//
// A Fleet that is being deleted creates and deletes no pods, so its pods need not be waited for.
func (c *Controller) awaitOwnWrites(ctx context.Context, f *v1alpha1.Fleet) (time.Duration, error) {
	key := cache.MetaObjectToName(f)
	klog.FromContext(ctx).V(4).Info("read from the cache", "resourceVersion", f.ResourceVersion)
	if !c.ownWrites.shownBy(f) {
		return expectationTimeout, nil
	}
	if f.DeletionTimestamp != nil {
		return 0, nil
	}
	wait, inDoubt := c.expectations.pending(key, c.now())
	if inDoubt {
		if err := c.settleDoubt(ctx, f); err != nil {
			return 0, err
		}
		wait, _ = c.expectations.pending(key, c.now())
	}
	if wait > 0 {
		klog.FromContext(ctx).V(4).Info("waiting for own writes to show up in the cache")
	}
	return wait, nil
}

// observe reads from the caches what concerns a Fleet.
func (c *Controller) observe(f *v1alpha1.Fleet) (fleet.Observed, error) {
	seen := fleet.Observed{Fleet: f, Now: c.now()}
	var err error
	if seen.Siblings, err = c.fleetLister.Fleets(f.Namespace).List(labels.Everything()); err != nil {
		return seen, err
	}
	for _, index := range []string{string(f.UID), orphansOf(f.Namespace)} {
		pods, err := c.pods.ByIndex(byController, index)
		if err != nil {
			return seen, err
		}
		for _, pod := range pods {
			seen.Pods = append(seen.Pods, pod.(*corev1.Pod))
		}
		revisions, err := c.revisions.ByIndex(byController, index)
		if err != nil {
			return seen, err
		}
		for _, revision := range revisions {
			seen.Revisions = append(seen.Revisions, revision.(*appsv1.ControllerRevision))
		}
	}
	return seen, nil
}

// forget drops what is remembered of a Fleet that is gone.
func (c *Controller) forget(key cache.ObjectName) {
	c.expectations.forget(key)
	c.ownWrites.forget(key)
	c.publisher.Forget(key)
}

// soonest is the shorter of two waits, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
