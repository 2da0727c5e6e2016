package controller

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/twinloop/shared/fleet"
)

// observe reads what concerns a Fleet.
func (r *FleetReconciler) observe(ctx context.Context, f *fleetv1alpha1.Fleet) (fleet.Observed, error) {
	seen := fleet.Observed{Fleet: f, Now: time.Now()}
	var siblings fleetv1alpha1.FleetList
	if err := r.List(ctx, &siblings, client.InNamespace(f.Namespace)); err != nil {
		return seen, fmt.Errorf("listing Fleets: %w", err)
	}
	seen.Siblings = pointers(siblings.Items)
	for _, controller := range []string{string(f.UID), nobody} {
		var revisions appsv1.ControllerRevisionList
		if err := r.List(ctx, &revisions, client.InNamespace(f.Namespace), controlledBy(controller)); err != nil {
			return seen, fmt.Errorf("listing ControllerRevisions: %w", err)
		}
		seen.Revisions = append(seen.Revisions, pointers(revisions.Items)...)
	}
	var err error
	seen.Pods, err = r.podsOf(ctx, f)
	return seen, err
}

// podsOf returns the pods that a Fleet controls, and those of its namespace that nobody controls. The cache waits for own
// writes that were answered. After one that was not, the API server itself is read until the cache shows what it holds.
func (r *FleetReconciler) podsOf(ctx context.Context, f *fleetv1alpha1.Fleet) ([]*corev1.Pod, error) {
	var cached []*corev1.Pod
	for _, controller := range []string{string(f.UID), nobody} {
		var pods corev1.PodList
		if err := r.List(ctx, &pods, client.InNamespace(f.Namespace), controlledBy(controller)); err != nil {
			return nil, fmt.Errorf("listing pods: %w", err)
		}
		cached = append(cached, pointers(pods.Items)...)
	}
	key := client.ObjectKeyFromObject(f)
	if !r.inDoubt.about(key) {
		return cached, nil
	}
	var all corev1.PodList
	if err := r.Live.List(ctx, &all, client.InNamespace(f.Namespace)); err != nil {
		return nil, fmt.Errorf("finding out what became of unanswered writes: %w", err)
	}
	live := slices.DeleteFunc(pointers(all.Items), func(pod *corev1.Pod) bool {
		controller := controllerOf(pod)[0]
		return controller != string(f.UID) && controller != nobody
	})
	if staying(cached).Equal(staying(live)) {
		r.inDoubt.settle(key)
	}
	return live, nil
}

func controlledBy(controller string) client.ListOption {
	return client.MatchingFields{controllerField: controller}
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// staying are the uids of the pods that are not on their way out.
func staying(pods []*corev1.Pod) sets.Set[types.UID] {
	uids := sets.New[types.UID]()
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			uids.Insert(pod.UID)
		}
	}
	return uids
}

// doubts are the Fleets of which a pod was created or deleted, or not: the API server did not answer. That reads wait for
// own writes is of no help there, since nobody knows what to wait for.
type doubts struct{ fleets sync.Map }

func (d *doubts) raise(key types.NamespacedName)      { d.fleets.Store(key, true) }
func (d *doubts) settle(key types.NamespacedName)     { d.fleets.Delete(key) }
func (d *doubts) about(key types.NamespacedName) bool { _, raised := d.fleets.Load(key); return raised }
