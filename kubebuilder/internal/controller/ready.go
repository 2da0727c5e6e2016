package controller

import (
	"context"
	"errors"
	"net/http"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// CachesFilled answers a readiness probe by whether the caches hold everything that the API server held when they were
// started.
func CachesFilled(of cache.Cache) (healthz.Checker, error) {
	var informers []cache.Informer
	for _, kind := range []client.Object{&fleetv1alpha1.Fleet{}, &corev1.Pod{}, &appsv1.ControllerRevision{}} {
		informer, err := of.GetInformer(context.Background(), kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, err
		}
		informers = append(informers, informer)
	}
	return func(*http.Request) error {
		for _, informer := range informers {
			if !informer.HasSynced() {
				return errors.New("the caches are not filled yet")
			}
		}
		return nil
	}, nil
}
