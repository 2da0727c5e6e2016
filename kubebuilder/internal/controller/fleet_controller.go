/*
Copyright 2026.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package controller

import (
	"context"
	"errors"
	"time"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/publish"
)

// Name is the controller's name in its metrics and events.
const Name = "fleet-kubebuilder"

// ReconcileTimeout bounds one reconcile, and so how long a stopping process waits for its workers.
const ReconcileTimeout = 2 * time.Minute

// FleetReconciler reconciles a Fleet object
type FleetReconciler struct {
	// Client reads from the cache, which it waits for to show what it wrote itself.
	client.Client
	Scheme *runtime.Scheme
	// Live reads from the API server.
	Live      client.Reader
	Recorder  events.EventRecorder
	Publisher *publish.Publisher
	Workers   int

	inDoubt doubts
}

// +kubebuilder:rbac:groups=fleet.twinloop.example.com,resources=fleets,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=fleet.twinloop.example.com,resources=fleets/status,verbs=update
// +kubebuilder:rbac:groups=fleet.twinloop.example.com,resources=fleets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch;create;delete;patch
// +kubebuilder:rbac:groups=apps,resources=controllerrevisions,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile brings one Fleet a step closer to what it wants, and asks for another look when time alone will call for one.
//
//  1. Read the Fleet, its pods and its revisions from the cache, and decide.
//  2. Claim: adopt and release.
//  3. Write the revision of the wanted template. If the API server refuses it, go on with those that there are.
//  4. Create and delete pods. If it only took some more, that is all: what was read is out of date, and the events of
//     the new pods lead to the next reconcile.
//  5. Publish the addresses.
//  6. Prune old revisions.
//  7. Store the status.
//
// Every step can be interrupted before and after each of its writes: the next reconcile starts from what is there.
func (r *FleetReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	// The manager cancels ctx when it is to stop. A reconcile that has begun is finished all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReconcileTimeout)
	defer cancel()

	f := &fleetv1alpha1.Fleet{}
	if err := r.Get(ctx, req.NamespacedName, f); err != nil {
		if apierrors.IsNotFound(err) {
			r.Publisher.Forget(cache.ObjectName(req.NamespacedName))
			r.inDoubt.settle(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	seen, err := r.observe(ctx, f)
	if err != nil {
		return ctrl.Result{}, err
	}
	plan := fleet.Decide(seen)

	if err := r.claim(ctx, f, plan); err != nil {
		return ctrl.Result{}, err
	}
	var outcome fleet.Outcome
	if outcome.Collision, err = r.writeRevision(ctx, f, plan); err != nil {
		if outcome.RevisionFailure = fleet.RevisionFailure(err); outcome.RevisionFailure == nil {
			return ctrl.Result{}, err
		}
		plan = fleet.DecideWithoutRevision(seen)
	}
	if !outcome.Collision {
		created, deleted := 0, 0
		created, outcome.CreateFailure = r.createPods(ctx, f, plan)
		deleted, outcome.DeleteFailure = r.deletePods(ctx, f, plan)
		r.tell(f, fleet.ScaleEvents(created, deleted))
		if created > 0 && deleted == 0 && outcome.CreateFailure == nil && outcome.DeleteFailure == nil {
			return ctrl.Result{}, nil
		}
	}
	published, err := r.Publisher.Publish(ctx, f, plan, r.setHold)
	if err != nil {
		return ctrl.Result{}, err
	}
	outcome.PublishFailure = published.Failure
	if err := r.prune(ctx, plan); err != nil {
		return ctrl.Result{}, err
	}

	seen.Fleet = published.Fleet
	status := fleet.Status(seen, plan, outcome)
	if err := r.storeStatus(ctx, seen.Fleet, status); err != nil {
		return ctrl.Result{}, err
	}
	r.tell(seen.Fleet, fleet.StatusEvents(f.Status, status))
	if err := errors.Join(outcome.RevisionFailure, outcome.CreateFailure, outcome.DeleteFailure); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: soonest(plan.LookAgain, published.Again)}, nil
}

// storeStatus writes a status through its subresource, when it differs. The version of the Fleet goes with it: if
// somebody wrote in between, the answer is a conflict, and the next reconcile starts from what they wrote.
func (r *FleetReconciler) storeStatus(ctx context.Context, f *fleetv1alpha1.Fleet, status fleetv1alpha1.FleetStatus) error {
	gone := f.DeletionTimestamp != nil && len(f.Finalizers) == 0
	if gone || equality.Semantic.DeepEqual(f.Status, status) {
		return nil
	}
	described := f.DeepCopy()
	described.Status = status
	return client.IgnoreNotFound(r.Status().Update(ctx, described))
}

func (r *FleetReconciler) tell(f *fleetv1alpha1.Fleet, events []fleet.Event) {
	for _, event := range events {
		r.Recorder.Eventf(f, nil, event.Type, event.Reason, event.Action, "%s", event.Note)
	}
}

// soonest is the shorter of two waits, of which 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// SetupWithManager sets up the controller with the Manager.
func (r *FleetReconciler) SetupWithManager(mgr ctrl.Manager) error {
	for _, dependent := range []client.Object{&corev1.Pod{}, &appsv1.ControllerRevision{}} {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), dependent, controllerField, controllerOf); err != nil {
			return err
		}
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&fleetv1alpha1.Fleet{}).
		Owns(&corev1.Pod{}).
		Owns(&appsv1.ControllerRevision{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.adopters), builder.WithPredicates(orphaned)).
		Watches(&appsv1.ControllerRevision{}, handler.EnqueueRequestsFromMapFunc(r.adopters), builder.WithPredicates(orphaned)).
		Watches(&fleetv1alpha1.Fleet{}, handler.EnqueueRequestsFromMapFunc(r.overlapping), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Named("fleet").
		WithOptions(controller.Options{
			MaxConcurrentReconciles: r.Workers,
			EnableWarmup:            ptr.To(true), // a standby can act at once
			// What a Fleet waits for, such as quota, is not always something that an event announces.
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, time.Minute),
		}).
		Complete(r)
}
