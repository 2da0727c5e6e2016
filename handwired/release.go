package main

import (
	"context"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coordinationinformers "k8s.io/client-go/informers/coordination/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// watchReleases returns a channel that has a value in it when a holder other than self has released the Lease since it was
// last received from. It watches until ctx is done. A replica that may not watch the Lease, as an older install's role has
// it, says so once; nothing comes until it may.
func watchReleases(ctx context.Context, kube kubernetes.Interface, namespace, self string) (<-chan struct{}, error) {
	informer := coordinationinformers.NewFilteredLeaseInformer(kube, namespace, 0, nil, func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, leaseName).String()
	})
	var told sync.Once
	err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if !apierrors.IsForbidden(err) {
			cache.DefaultWatchErrorHandler(ctx, r, err)
			return
		}
		told.Do(func() {
			klog.FromContext(ctx).Info("may not watch the Lease; its release is noticed at the next try", "err", err)
		})
	})
	if err != nil {
		return nil, err
	}
	released := make(chan struct{}, 1)
	// What there is at the start, the first try finds. Who deletes a Lease does not know whether its holder still works.
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, now any) {
		if releasedByOther(before.(*coordinationv1.Lease), now.(*coordinationv1.Lease), self) {
			select {
			case released <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		return nil, err
	}
	go informer.RunWithContext(ctx)
	return released, nil
}

// releasedByOther reports whether a holder other than self has given the Lease up, which client-go writes when the work has
// ended as nobody's, for a second. One that lost its holder in another way is not released: the holder may well work on,
// takes it back when it renews, and nobody should be quicker than that.
func releasedByOther(before, now *coordinationv1.Lease, self string) bool {
	holder := ptr.Deref(before.Spec.HolderIdentity, "")
	return holder != "" && holder != self &&
		ptr.Deref(now.Spec.HolderIdentity, "") == "" &&
		ptr.Deref(now.Spec.LeaseDurationSeconds, 0) == 1
}
