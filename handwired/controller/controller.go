// Package controller keeps Fleets with client-go alone: informers fill caches, their handlers put keys on a
// rate-limited workqueue, and workers reconcile one Fleet at a time from what the caches hold.
//
// Read it in this order: controller.go (what runs), handlers.go (what wakes it), reconcile.go (what it does), then the
// file of whichever step is of interest.
package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/api/generated/informers/externalversions"
	fleetlisters "example.com/twinloop/shared/api/generated/listers/fleet/v1alpha1"
	"example.com/twinloop/shared/publish"
)

// Name is the controller's name in its logs, metrics and events.
const Name = "fleet-handwired"

// reconcileTimeout bounds one reconcile, and so how long a stopping process waits for its workers.
const reconcileTimeout = 2 * time.Minute

// Controller keeps the Fleets of the namespaces that its informers watch.
type Controller struct {
	kube      kubernetes.Interface
	fleets    versioned.Interface
	publisher *publish.Publisher
	recorder  events.EventRecorder

	fleetLister fleetlisters.FleetLister
	pods        cache.Indexer
	revisions   cache.Indexer
	hasSynced   []cache.InformerSynced

	queue        workqueue.TypedRateLimitingInterface[cache.ObjectName]
	expectations *expectations
	ownWrites    *ownWrites
	now          func() time.Time
}

// New wires a controller to its informers. They must be started after it.
func New(
	kube kubernetes.Interface,
	fleets versioned.Interface,
	publisher *publish.Publisher,
	recorder events.EventRecorder,
	kubeInformers informers.SharedInformerFactory,
	fleetInformers externalversions.SharedInformerFactory,
) (*Controller, error) {
	fleetInformer := fleetInformers.Fleet().V1alpha1().Fleets()
	podInformer := kubeInformers.Core().V1().Pods().Informer()
	revisionInformer := kubeInformers.Apps().V1().ControllerRevisions().Informer()

	c := &Controller{
		kube:         kube,
		fleets:       fleets,
		publisher:    publisher,
		recorder:     recorder,
		fleetLister:  fleetInformer.Lister(),
		pods:         podInformer.GetIndexer(),
		revisions:    revisionInformer.GetIndexer(),
		queue:        newQueue(),
		expectations: newExpectations(),
		ownWrites:    newOwnWrites(),
		now:          time.Now,
	}
	return c, c.watch(fleetInformer.Informer(), podInformer, revisionInformer)
}

// newQueue is client-go's default queue for controllers with a shorter longest delay: what a Fleet waits for, such as
// quota, is not always something that an event announces, and sixteen minutes is too long to notice.
func newQueue() workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedMaxOfRateLimiter(
			workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, time.Minute),
			&workqueue.TypedBucketRateLimiter[cache.ObjectName]{Limiter: rate.NewLimiter(rate.Limit(10), 100)},
		),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: Name},
	)
}

// HasSynced reports whether the caches hold everything that the API server held when they were started.
func (c *Controller) HasSynced() bool {
	for _, synced := range c.hasSynced {
		if !synced() {
			return false
		}
	}
	return true
}

// Run works until ctx is done, and returns when the last worker has stopped: a reconcile that has begun is finished.
func (c *Controller) Run(ctx context.Context, workers int) error {
	logger := klog.FromContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), c.hasSynced...) {
		return errors.New("stopped before the caches were filled")
	}
	logger.Info("starting workers", "count", workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for ctx.Err() == nil && c.processNextKey(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait()
	logger.Info("workers have stopped")
	return nil
}

// processNextKey reconciles one Fleet, and returns false when the queue is shut down. Whatever comes of it, the key
// is told to be done with; a failure puts it back with a growing delay, success forgets the failures before it.
func (c *Controller) processNextKey(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)

	logger := klog.LoggerWithValues(klog.FromContext(ctx), "fleet", klog.KRef(key.Namespace, key.Name))
	logger.V(4).Info("reconciling")
	again, err := c.measuredReconcile(klog.NewContext(context.WithoutCancel(ctx), logger), key)
	logger.V(4).Info("reconciled")
	switch {
	case apierrors.IsConflict(err):
		logger.V(2).Info("somebody else wrote first; will look again", "reason", err.Error())
		c.queue.AddRateLimited(key)
	case err != nil:
		logger.Error(err, "reconcile failed; will try again", "failures", c.queue.NumRequeues(key)+1)
		c.queue.AddRateLimited(key)
	case again > 0:
		c.queue.Forget(key)
		c.queue.AddAfter(key, again)
	default:
		c.queue.Forget(key)
	}
	return true
}

func (c *Controller) measuredReconcile(ctx context.Context, key cache.ObjectName) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	started := time.Now()
	again, err := c.reconcile(ctx, key)
	observeReconcile(time.Since(started), err)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", key, err)
	}
	return again, nil
}
