package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// storeStatus writes a status through its subresource, when it differs. The version of the Fleet goes with it: if
// somebody wrote in between, the answer is a conflict, and the next reconcile starts from what they wrote.
func (c *Controller) storeStatus(ctx context.Context, f *v1alpha1.Fleet, status v1alpha1.FleetStatus) error {
	gone := f.DeletionTimestamp != nil && len(f.Finalizers) == 0
	if gone || equality.Semantic.DeepEqual(f.Status, status) {
		return nil
	}
	described := f.DeepCopy()
	described.Status = status
	stored, err := c.fleets.FleetV1alpha1().Fleets(f.Namespace).UpdateStatus(ctx, described, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("storing the status: %w", err)
	}
	c.ownWrites.wrote(stored)
	return nil
}

func (c *Controller) tell(f *v1alpha1.Fleet, events []fleet.Event) {
	for _, event := range events {
		c.recorder.Eventf(f, nil, event.Type, event.Reason, event.Action, "%s", event.Note)
	}
}
