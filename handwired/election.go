package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// leaseName is the Lease that the replicas of the operator contend for.
const leaseName = "fleet-handwired"

// lead works while holding the Lease. When ctx is done the work is stopped first and the Lease released after it: the
// successor that takes it at once must find nobody still writing. client-go does it the other way round when the
// election's own context ends, so the election gets a context that outlives the work.
func (o options) lead(
	ctx context.Context,
	kube kubernetes.Interface,
	namespace string,
	watchdog *leaderelection.HealthzAdaptor,
	work func(context.Context) error,
) error {
	contending, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	logger := klog.FromContext(ctx)
	var worked error
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name: leaseName,
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: leaseName},
			Client:     kube.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity()},
		},
		LeaseDuration:   o.leaseDuration,
		RenewDeadline:   o.renewDeadline,
		RetryPeriod:     o.retryPeriod,
		ReleaseOnCancel: true,
		WatchDog:        watchdog,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				defer release()
				worked = work(ctx)
			},
			OnStoppedLeading: func() {
				if contending.Err() == nil {
					// Somebody else may lead already: no worker may write another word.
					logger.Error(nil, "the Lease is lost; exiting")
					klog.FlushAndExit(klog.ExitFlushTimeout, 1)
				}
			},
			OnNewLeader: func(identity string) { logger.Info("new leader", "identity", identity) },
		},
	})
	if err != nil {
		return usage(fmt.Errorf(
			"--leader-elect-lease-duration, --leader-elect-renew-deadline, --leader-elect-retry-period: %w", err))
	}
	// A standby has nothing to stop; a leader releases when its work has ended.
	stopContending := context.AfterFunc(ctx, func() {
		if !elector.IsLeader() {
			release()
		}
	})
	defer stopContending()

	elector.Run(contending)
	return worked
}
