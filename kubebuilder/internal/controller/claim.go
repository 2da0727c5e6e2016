package controller

import (
	"context"
	"fmt"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/twinloop/shared/fleet"
)

// claim adopts and releases. Each patch names the version it was made from, and is refused for any other, be it of
// another object of that name.
func (r *FleetReconciler) claim(ctx context.Context, f *fleetv1alpha1.Fleet, plan fleet.Plan) error {
	if len(plan.Adopt)+len(plan.AdoptRevisions) > 0 {
		if err := r.mayAdopt(ctx, f); err != nil {
			return err
		}
	}
	for _, pod := range plan.Adopt {
		if err := r.adopt(ctx, f, pod, pod.DeepCopy()); err != nil {
			return fmt.Errorf("adopting pod %s: %w", pod.Name, err)
		}
	}
	for _, revision := range plan.AdoptRevisions {
		if err := r.adopt(ctx, f, revision, revision.DeepCopy()); err != nil {
			return fmt.Errorf("adopting ControllerRevision %s: %w", revision.Name, err)
		}
	}
	for _, pod := range plan.Release {
		released := pod.DeepCopy()
		if err := controllerutil.RemoveControllerReference(f, released, r.Scheme); err != nil {
			return fmt.Errorf("releasing pod %s: %w", pod.Name, err)
		}
		// A pod that is gone is released already.
		if err := client.IgnoreNotFound(r.patch(ctx, released, pod)); err != nil {
			return fmt.Errorf("releasing pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// mayAdopt asks the API server itself whether the Fleet still exists and is not being deleted. The cache may be late to
// know, and what is adopted by a Fleet that is gone is garbage at once.
func (r *FleetReconciler) mayAdopt(ctx context.Context, f *fleetv1alpha1.Fleet) error {
	fresh := &fleetv1alpha1.Fleet{}
	switch err := r.Live.Get(ctx, client.ObjectKeyFromObject(f), fresh); {
	case err != nil:
		return fmt.Errorf("checking before adoption: %w", err)
	case fresh.UID != f.UID:
		return fmt.Errorf("not adopting: Fleet %s was replaced: uid is %s, was %s", f.Name, fresh.UID, f.UID)
	case fresh.DeletionTimestamp != nil:
		return fmt.Errorf("not adopting: Fleet %s is being deleted", f.Name)
	}
	return nil
}

func (r *FleetReconciler) adopt(ctx context.Context, f *fleetv1alpha1.Fleet, orphan, adopted client.Object) error {
	if err := controllerutil.SetControllerReference(f, adopted, r.Scheme); err != nil {
		return err
	}
	return r.patch(ctx, adopted, orphan)
}

// setHold is a publish.SetHold.
func (r *FleetReconciler) setHold(
	ctx context.Context, f *fleetv1alpha1.Fleet, zoneName string,
) (*fleetv1alpha1.Fleet, error) {
	held := f.DeepCopy()
	if zoneName != "" {
		controllerutil.AddFinalizer(held, fleetv1alpha1.DNSFinalizer)
		metav1.SetMetaDataAnnotation(&held.ObjectMeta, fleetv1alpha1.DNSZoneAnnotation, zoneName)
	} else {
		controllerutil.RemoveFinalizer(held, fleetv1alpha1.DNSFinalizer)
		delete(held.Annotations, fleetv1alpha1.DNSZoneAnnotation)
	}
	if err := r.patch(ctx, held, f); err != nil {
		return nil, fmt.Errorf("changing the finalizers: %w", err)
	}
	return held, nil
}

// patch writes what an object differs in from what it was, if it still is that.
func (r *FleetReconciler) patch(ctx context.Context, object, was client.Object) error {
	return r.Patch(ctx, object, client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}))
}
