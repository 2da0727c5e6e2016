package main

import (
	"context"
	"fmt"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// leaseName is the Lease that the replicas of the operator contend for.
const leaseName = "fleet-handwired"

// lead works while holding the Lease. A standby that sees the Lease released tries for it at once, and otherwise every retry
// period: the elector knows no way to be woken, but a new one tries as soon as it runs. A new one is no bolder either: it
// respects a Lease that is held for its whole duration from when it first saw it.
func (o options) lead(
	ctx context.Context,
	kube kubernetes.Interface,
	namespace string,
	watchdog *leaderelection.HealthzAdaptor,
	work func(context.Context) error,
) error {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: leaseName},
		Client:     kube.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity()},
	}
	standby, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	released, err := watchReleases(standby, kube, namespace, lock.Identity())
	if err != nil {
		return err
	}
	for {
		led, err := o.contend(ctx, lock, watchdog, released, func(ctx context.Context) error {
			stopWatching()
			return work(ctx)
		})
		if led || err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// contend tries for the Lease until it leads, or ctx is done, or the Lease was released. If it leads it works, until ctx is
// done. Then the work is stopped first and the Lease released after it: the successor that takes it at once must find
// nobody still writing. client-go does it the other way round when the election's own context ends, so the election
// gets a context that outlives the work.
func (o options) contend(
	ctx context.Context,
	lock resourcelock.Interface,
	watchdog *leaderelection.HealthzAdaptor,
	released <-chan struct{},
	work func(context.Context) error,
) (led bool, err error) {
	contending, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	logger := klog.FromContext(ctx)
	// decided is by whom the election is left: by the work when it ends, once it has begun, or else by who got in first.
	// An elector that has won a moment before it is left releases the Lease, and nobody has worked.
	var decided atomic.Bool
	elector, wrong := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:            leaseName,
		Lock:            lock,
		LeaseDuration:   o.leaseDuration,
		RenewDeadline:   o.renewDeadline,
		RetryPeriod:     o.retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				if decided.CompareAndSwap(false, true) {
					defer leave()
					led, err = true, work(ctx)
				}
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
	if wrong != nil {
		return false, usage(fmt.Errorf(
			"--leader-elect-lease-duration, --leader-elect-renew-deadline, --leader-elect-retry-period: %w", wrong))
	}
	watchdog.SetLeaderElection(elector)
	go func() {
		select {
		case <-ctx.Done():
		case <-released:
		case <-contending.Done():
		}
		if decided.CompareAndSwap(false, true) {
			leave()
		}
	}()

	elector.Run(contending)
	return led, err
}
