package controller

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// setHold is a publish.SetHold. It names the version it was made from, since it replaces the list of finalizers whole. It
// is a patch and not an update so that nothing else of the Fleet is written, not even in another spelling.
func (c *Controller) setHold(ctx context.Context, f *v1alpha1.Fleet, zoneName string) (*v1alpha1.Fleet, error) {
	finalizers, annotation := fleet.WithDNSFinalizer(f.Finalizers), any(zoneName)
	if zoneName == "" {
		finalizers, annotation = fleet.WithoutDNSFinalizer(f.Finalizers), nil
	}
	patch := marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": f.ResourceVersion,
		"finalizers":      finalizers,
		"annotations":     map[string]any{v1alpha1.DNSZoneAnnotation: annotation},
	}})
	patched, err := c.fleets.FleetV1alpha1().Fleets(f.Namespace).Patch(
		ctx, f.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("changing the finalizers: %w", err)
	}
	c.ownWrites.wrote(patched)
	return patched, nil
}
