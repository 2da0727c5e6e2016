package enqueueakey

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controllers are two on one informer: one has a queue of objects, the other a queue of keys and a lister. Their workers are as
// busy as each part of the lab wants them.
type controllers struct {
	server  *server
	objects workqueue.TypedRateLimitingInterface[*corev1.ConfigMap]
	keys    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	lister  listers.ResourceIndexer[*corev1.ConfigMap]
	running sync.WaitGroup
	cancel  func()
}

// start returns when the informer watches.
func start(ctx context.Context) (*controllers, error) {
	c := &controllers{server: newServer(), objects: newQueue[*corev1.ConfigMap](), keys: newQueue[cache.ObjectName]()}
	informer := cache.NewSharedIndexInformer(c.server, &corev1.ConfigMap{}, 0, nil)
	c.lister = listers.New[*corev1.ConfigMap](informer.GetIndexer(), corev1.Resource("configmaps"))
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, object any) { c.enqueue(object) },
		DeleteFunc: c.enqueue,
	}); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	c.cancel = cancel
	c.running.Go(func() { informer.RunWithContext(running) })
	select {
	case <-c.server.watched:
		return c, nil
	case <-ctx.Done():
		c.stop()
		return nil, ctx.Err()
	}
}

func (c *controllers) stop() {
	c.cancel()
	c.running.Wait()
	c.objects.ShutDown()
	c.keys.ShutDown()
	c.server.Shutdown()
}

// newQueue retries after 5 ms, and later each time.
func newQueue[T comparable]() workqueue.TypedRateLimitingInterface[T] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, time.Second))
}

// enqueue is what the handlers do for the two controllers.
func (c *controllers) enqueue(object any) {
	changed := object.(*corev1.ConfigMap)
	c.keys.Add(cache.MetaObjectToName(changed)) // who is concerned, and nothing of what happened
	c.objects.Add(changed)                      // the mistake: what the event brought
}

// read is the line that pays: it asks for the object once more. One that is gone is nil.
func (c *controllers) read(key cache.ObjectName) (*corev1.ConfigMap, error) {
	object, err := listers.NewNamespaced(c.lister, key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

// pass has the versions of an object pass, one after the other.
func (c *controllers) pass(ctx context.Context) error {
	c.server.Add(configMap())
	for range versions - 1 {
		c.server.Modify(configMap())
	}
	return c.enqueued(ctx, versions)
}

// enqueued waits until so many objects wait for a worker, and their keys with them.
func (c *controllers) enqueued(ctx context.Context, objects int) error {
	return wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) {
		return c.objects.Len() == objects, nil
	})
}

// reconcile has both workers work, and is what they acted on. The first attempt of each comes to firstResult.
func (c *controllers) reconcile(ctx context.Context, firstResult error) (byObject, byKey attempts, err error) {
	if err := work(ctx, c.objects, func(object *corev1.ConfigMap) error {
		return byObject.act(object, firstResult)
	}); err != nil {
		return nil, nil, err
	}
	err = work(ctx, c.keys, func(key cache.ObjectName) error {
		object, err := c.read(key)
		if err != nil {
			return err
		}
		return byKey.act(object, firstResult)
	})
	return byObject, byKey, err
}

// take is what a worker gets of a queue, if it need not wait for it.
func take[T comparable](queue workqueue.TypedRateLimitingInterface[T]) (item T, ok bool) {
	if queue.Len() == 0 {
		return item, false
	}
	item, _ = queue.Get()
	return item, true
}

// work is a worker, until all items have succeeded that wait now.
func work[T comparable](ctx context.Context, queue workqueue.TypedRateLimitingInterface[T], attempt func(T) error) error {
	defer context.AfterFunc(ctx, queue.ShutDown)()
	for left := queue.Len(); left > 0; {
		item, shutdown := queue.Get()
		if shutdown {
			return ctx.Err()
		}
		if attempt(item) == nil {
			queue.Forget(item)
			left--
		} else {
			queue.AddRateLimited(item)
		}
		queue.Done(item)
	}
	return nil
}

func configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
}
