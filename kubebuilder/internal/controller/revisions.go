package controller

import (
	"context"
	"fmt"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/twinloop/shared/fleet"
)

// writeRevision makes the revision of the wanted template exist and be the newest. It reports a collision when its
// name is taken: by another template, or by a revision that nobody controls and that could not be adopted.
func (r *FleetReconciler) writeRevision(
	ctx context.Context, f *fleetv1alpha1.Fleet, plan fleet.Plan,
) (collision bool, err error) {
	switch {
	case plan.NewRevision != nil:
		return r.createRevision(ctx, f, plan.NewRevision)
	case plan.Renumber != nil:
		revision := plan.Renumber.Revision.DeepCopy()
		revision.Revision = plan.Renumber.Number
		return false, r.Update(ctx, revision)
	}
	return false, nil
}

func (r *FleetReconciler) createRevision(
	ctx context.Context, f *fleetv1alpha1.Fleet, wanted *appsv1.ControllerRevision,
) (collision bool, err error) {
	err = r.Create(ctx, wanted.DeepCopy())
	if !apierrors.IsAlreadyExists(err) {
		return false, err
	}
	existing := &appsv1.ControllerRevision{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(wanted), existing); err != nil {
		return false, err
	}
	switch owner := metav1.GetControllerOfNoCopy(existing); {
	case owner == nil || !fleet.SameTemplate(existing, wanted):
		return true, nil
	case owner.UID != f.UID:
		// It is left over from an earlier Fleet of this name, and the garbage collector is on its way.
		return false, fmt.Errorf("ControllerRevision %s is still owned by another", existing.Name)
	}
	return false, nil // it was created by an earlier reconcile, and the cache does not show it yet
}

// prune deletes revisions beyond the history limit.
func (r *FleetReconciler) prune(ctx context.Context, plan fleet.Plan) error {
	for _, revision := range plan.Prune {
		if err := r.deleteOnly(ctx, revision); err != nil {
			return fmt.Errorf("pruning ControllerRevision %s: %w", revision.Name, err)
		}
	}
	return nil
}
