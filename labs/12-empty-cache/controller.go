package emptycache

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/api/generated/informers/externalversions"
	fleetlisters "example.com/twinloop/shared/api/generated/listers/fleet/v1alpha1"
)

// controller keeps for each Fleet as many pods as it asks for, as one would write it first. The experiment is its worker.
type controller struct {
	client typedcorev1.PodInterface
	name   naming
	// ready tells whether the cache of pods shows what the controller has written. It is asked before each reconcile.
	ready func() bool

	fleets       fleetlisters.FleetNamespaceLister
	pods         corelisters.PodNamespaceLister
	podStore     cache.Store
	fleetsSynced cache.InformerSynced
	podsSynced   cache.InformerSynced

	queue        workqueue.TypedRateLimitingInterface[cache.ObjectName]
	expectations expectations
	ownWrites    ownWrites
	stop         func()
}

// start starts a controller of a stage's namespace, by way of the proxy. It works when [controller.work] is called.
func (s *stage) start(ctx context.Context, name naming) (*controller, error) {
	kube, err := kubernetes.NewForConfig(s.ProxyConfig())
	if err != nil {
		return nil, err
	}
	own, err := versioned.NewForConfig(s.ProxyConfig())
	if err != nil {
		return nil, err
	}
	podFactory := informers.NewSharedInformerFactoryWithOptions(kube, 0, informers.WithNamespace(s.namespace))
	fleetFactory := externalversions.NewSharedInformerFactoryWithOptions(own, 0, externalversions.WithNamespace(s.namespace))
	pods, fleets := podFactory.Core().V1().Pods(), fleetFactory.Fleet().V1alpha1().Fleets()
	c := &controller{
		client:   kube.CoreV1().Pods(s.namespace),
		name:     name,
		ready:    func() bool { return true },
		fleets:   fleets.Lister().Fleets(s.namespace),
		pods:     pods.Lister().Pods(s.namespace),
		podStore: pods.Informer().GetStore(),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	ofFleets, err := fleets.Informer().AddEventHandler(handler(c.fleetChanged))
	if err != nil {
		return nil, err
	}
	ofPods, err := pods.Informer().AddEventHandler(handler(c.podChanged))
	if err != nil {
		return nil, err
	}
	c.fleetsSynced, c.podsSynced = ofFleets.HasSynced, ofPods.HasSynced
	running, cancel := context.WithCancel(ctx)
	podFactory.StartWithContext(running)
	fleetFactory.StartWithContext(running)
	release := context.AfterFunc(ctx, c.queue.ShutDown)
	c.stop = func() {
		release()
		c.queue.ShutDown()
		cancel()
		podFactory.Shutdown()
		fleetFactory.Shutdown()
	}
	return c, nil
}

// work takes one key from the queue, waiting for it, and reconciles it.
func (c *controller) work(ctx context.Context) (deeds, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return deeds{}, ctx.Err()
	}
	defer c.queue.Done(key)
	done, err := c.reconcile(ctx, key)
	if err != nil {
		c.queue.AddRateLimited(key)
		return done, err
	}
	c.queue.Forget(key)
	return done, nil
}
