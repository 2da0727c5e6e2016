package controller

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// claim adopts and releases.
func (c *Controller) claim(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) error {
	if len(plan.Adopt)+len(plan.AdoptRevisions) > 0 {
		if err := c.mayAdopt(ctx, f); err != nil {
			return err
		}
	}
	for _, pod := range plan.Adopt {
		if err := c.patchPod(ctx, pod, adoption(f, pod)); err != nil {
			return fmt.Errorf("adopting pod %s: %w", pod.Name, err)
		}
	}
	for _, revision := range plan.AdoptRevisions {
		_, err := c.kube.AppsV1().ControllerRevisions(f.Namespace).Patch(
			ctx, revision.Name, types.StrategicMergePatchType, adoption(f, revision), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("adopting ControllerRevision %s: %w", revision.Name, err)
		}
	}
	for _, pod := range plan.Release {
		// A pod that is gone, or is no longer the one that was seen, is released already.
		err := c.patchPod(ctx, pod, releaseOf(f, pod))
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsInvalid(err) {
			return fmt.Errorf("releasing pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// mayAdopt asks the API server itself whether the Fleet still exists and is not being deleted. The cache may be late to
// know, and what is adopted by a Fleet that is gone is garbage at once.
func (c *Controller) mayAdopt(ctx context.Context, f *v1alpha1.Fleet) error {
	fresh, err := c.fleets.FleetV1alpha1().Fleets(f.Namespace).Get(ctx, f.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return fmt.Errorf("checking before adoption: %w", err)
	case fresh.UID != f.UID:
		return fmt.Errorf("not adopting: Fleet %s was replaced: uid is %s, was %s", f.Name, fresh.UID, f.UID)
	case fresh.DeletionTimestamp != nil:
		return fmt.Errorf("not adopting: Fleet %s is being deleted", f.Name)
	}
	return nil
}

func (c *Controller) patchPod(ctx context.Context, pod metav1.Object, patch []byte) error {
	_, err := c.kube.CoreV1().Pods(pod.GetNamespace()).Patch(
		ctx, pod.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// adoption and releaseOf name the uid of the object they are meant for: the API server refuses them for another object
// of the same name.
func adoption(f *v1alpha1.Fleet, object metav1.Object) []byte {
	return metadataPatch(object.GetUID(), fleet.AdoptionOf(f))
}

func releaseOf(f *v1alpha1.Fleet, object metav1.Object) []byte {
	return metadataPatch(object.GetUID(), map[string]any{"$patch": "delete", "uid": f.UID})
}

func metadataPatch(uid types.UID, ownerReference any) []byte {
	return marshal(map[string]any{"metadata": map[string]any{
		"uid":             uid,
		"ownerReferences": []any{ownerReference},
	}})
}

// marshal writes a patch made of maps and API types, which cannot fail.
func marshal(patch map[string]any) []byte {
	data, err := json.Marshal(patch)
	if err != nil {
		panic(err)
	}
	return data
}
