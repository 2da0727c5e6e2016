package controller

import (
	"context"
	"fmt"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/slowstart"
)

// burst is the largest number of pods that one reconcile creates or deletes. As BurstReplicas in k8s.io/kubernetes
// pkg/controller/replicaset.
const burst = 500

// createPods creates pods as planned, and returns how many it created and the first refusal.
func (r *FleetReconciler) createPods(ctx context.Context, f *fleetv1alpha1.Fleet, plan fleet.Plan) (created int, err error) {
	for _, creation := range plan.Create {
		pod, err := fleet.NewPod(f, creation.Revision)
		if err != nil {
			return created, err
		}
		n, err := slowstart.Create(min(creation.Count, burst), func() error { return r.createPod(ctx, f, pod.DeepCopy()) })
		created += n
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return created, nil // nothing can be created there any more, and nothing needs to be
		}
		if err != nil {
			return created, err
		}
	}
	return created, nil
}

func (r *FleetReconciler) createPod(ctx context.Context, f *fleetv1alpha1.Fleet, pod *corev1.Pod) error {
	if err := r.Create(ctx, pod); err != nil {
		if fleet.Unanswered(err) {
			r.inDoubt.raise(client.ObjectKeyFromObject(f))
		}
		return fleet.CreateFailure(pod.GenerateName, err)
	}
	logf.FromContext(ctx).V(1).Info("created pod", "pod", client.ObjectKeyFromObject(pod))
	return nil
}

// deletePods deletes pods as planned, and returns how many it deleted and the first refusal.
func (r *FleetReconciler) deletePods(ctx context.Context, f *fleetv1alpha1.Fleet, plan fleet.Plan) (int, error) {
	deletions := plan.Delete[:min(len(plan.Delete), burst)]
	return slowstart.Together(len(deletions), func(i int) error {
		pod := deletions[i].Pod
		if err := r.deleteOnly(ctx, pod); err != nil {
			if fleet.Unanswered(err) {
				r.inDoubt.raise(client.ObjectKeyFromObject(f))
			}
			return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
		}
		logf.FromContext(ctx).V(1).Info("deleted pod", "pod", client.ObjectKeyFromObject(pod), "why", deletions[i].Why)
		return nil
	})
}

// deleteOnly deletes an object, and no other of its name. One that is gone already is deleted.
func (r *FleetReconciler) deleteOnly(ctx context.Context, object client.Object) error {
	uid := object.GetUID()
	err := r.Delete(ctx, object, client.Preconditions{UID: &uid})
	if apierrors.IsConflict(err) {
		return nil // at most another of its name is there
	}
	return client.IgnoreNotFound(err)
}
