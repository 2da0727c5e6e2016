package controller

import (
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	reconciles = metrics.NewCounterVec(&metrics.CounterOpts{
		Name:           "fleet_reconcile_total",
		Help:           "Reconciles of Fleets, by result: success or error.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"result"})
	reconcileSeconds = metrics.NewHistogram(&metrics.HistogramOpts{
		Name:           "fleet_reconcile_duration_seconds",
		Help:           "Time a reconcile of a Fleet took, in seconds.",
		Buckets:        metrics.ExponentialBuckets(0.001, 4, 8),
		StabilityLevel: metrics.ALPHA,
	})
)

func init() {
	legacyregistry.MustRegister(reconciles, reconcileSeconds)
}

func observeReconcile(took time.Duration, err error) {
	result := "success"
	if err != nil {
		result = "error"
	}
	reconciles.WithLabelValues(result).Inc()
	reconcileSeconds.Observe(took.Seconds())
}
