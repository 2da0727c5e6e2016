package controller

import (
	"context"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/twinloop/shared/fleet"
)

// controllerField indexes dependents by the uid of their controller; those without one, by nobody.
const (
	controllerField = "metadata.controller"
	nobody          = "nobody"
)

func controllerOf(object client.Object) []string {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		return []string{string(controller.UID)}
	}
	return []string{nobody}
}

// orphaned lets pass what nobody controls. Owns sees to the rest.
var orphaned = predicate.NewPredicateFuncs(func(object client.Object) bool {
	return metav1.GetControllerOfNoCopy(object) == nil
})

// adopters are the Fleets that could adopt an orphan.
func (r *FleetReconciler) adopters(ctx context.Context, orphan client.Object) []reconcile.Request {
	return r.where(ctx, orphan.GetNamespace(), func(f *fleetv1alpha1.Fleet) bool {
		return fleet.Selects(f, orphan.GetLabels())
	})
}

// overlapping are the other Fleets whose selectors overlap with that of one that changed.
func (r *FleetReconciler) overlapping(ctx context.Context, changed client.Object) []reconcile.Request {
	of, ok := changed.(*fleetv1alpha1.Fleet)
	if !ok {
		return nil
	}
	return r.where(ctx, of.Namespace, func(f *fleetv1alpha1.Fleet) bool {
		return f.Name != of.Name && fleet.Overlaps(f, of)
	})
}

// where returns the Fleets of a namespace that an event concerns. It does not wait for own writes to be in the cache:
// a handler that waits holds up the events that it waits for.
func (r *FleetReconciler) where(
	ctx context.Context, namespace string, concerned func(*fleetv1alpha1.Fleet) bool,
) []reconcile.Request {
	var fleets fleetv1alpha1.FleetList
	err := r.List(ctx, &fleets, &client.ListOptions{
		Namespace:                        namespace,
		UnsafeDisableDeepCopy:            ptr.To(true),
		DisableReadYourWritesConsistency: true,
	})
	if err != nil {
		logf.FromContext(ctx).Error(err, "listing Fleets from the cache", "namespace", namespace)
		return nil
	}
	var requests []reconcile.Request
	for i := range fleets.Items {
		if f := &fleets.Items[i]; concerned(f) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(f)})
		}
	}
	return requests
}
