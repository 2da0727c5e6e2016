package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// writeRevision makes the revision of the wanted template exist and be the newest. It reports a collision when its
// name is taken: by another template, or by a revision that nobody controls and that could not be adopted.
func (c *Controller) writeRevision(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) (collision bool, err error) {
	switch {
	case plan.NewRevision != nil:
		return c.createRevision(ctx, f, plan.NewRevision)
	case plan.Renumber != nil:
		revision := plan.Renumber.Revision.DeepCopy()
		revision.Revision = plan.Renumber.Number
		_, err := c.kube.AppsV1().ControllerRevisions(f.Namespace).Update(ctx, revision, metav1.UpdateOptions{})
		return false, err
	}
	return false, nil
}

func (c *Controller) createRevision(ctx context.Context, f *v1alpha1.Fleet, wanted *appsv1.ControllerRevision) (collision bool, err error) {
	revisions := c.kube.AppsV1().ControllerRevisions(f.Namespace)
	_, err = revisions.Create(ctx, wanted, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return false, err
	}
	existing, err := revisions.Get(ctx, wanted.Name, metav1.GetOptions{})
	if err != nil {
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
func (c *Controller) prune(ctx context.Context, plan fleet.Plan) error {
	for _, revision := range plan.Prune {
		err := c.kube.AppsV1().ControllerRevisions(revision.Namespace).Delete(ctx, revision.Name, onlyThis(revision))
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("pruning ControllerRevision %s: %w", revision.Name, err)
		}
	}
	return nil
}

// onlyThis makes a deletion fail for another object of the same name.
func onlyThis(object metav1.Object) metav1.DeleteOptions {
	return *metav1.NewPreconditionDeleteOptions(string(object.GetUID()))
}
