// Package kubelet simulates the node side of a cluster: one Node to which every pod is bound, on which pods get
// addresses, run, become ready and end, with no container anywhere.
//
// It works as the real one does, level-triggered, from a watch on all pods: whatever a pod looks like, the next
// step towards what it should look like is decided (next.go), carried out as one write, and the write's own event
// leads to the step after it. A pod costs two writes to become Ready at once (a binding and a status), one more if
// readiness is delayed, and one to be removed.
package kubelet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	// workers suffice for more than 500 pods a second: each waits for the API server most of the time.
	workers = 32

	firstRetry, lastRetry = 10 * time.Millisecond, 5 * time.Second
)

// Options say how pods behave.
type Options struct {
	// ReadyAfter is how long a pod's containers run before it is Ready; 0 makes it Running and Ready in one step.
	ReadyAfter time.Duration
	// TerminateAfter is how long a deleted pod takes to end, within its grace period; 0 is at once.
	TerminateAfter time.Duration
	// Manual leaves pods Running but not Ready until Ready is called for them.
	Manual bool
}

// A Kubelet is a running simulation.
type Kubelet struct {
	client         kubernetes.Interface
	pods           corelisters.PodLister
	queue          workqueue.TypedRateLimitingInterface[cache.ObjectName]
	memory         *memory
	readyAfter     atomic.Int64
	terminateAfter time.Duration
	manual         bool
	cancel         context.CancelFunc
	running        sync.WaitGroup
}

// Start registers the Node and returns when it is there and the pods that exist are known. ctx bounds the start;
// Stop ends the simulation.
func Start(ctx context.Context, config *rest.Config, opts Options) (*Kubelet, error) {
	client, err := kubernetes.NewForConfig(unthrottled(config))
	if err != nil {
		return nil, err
	}
	if err := registerNode(ctx, client); err != nil {
		return nil, err
	}
	retry := workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstRetry, lastRetry)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k := &Kubelet{
		client:         client,
		queue:          workqueue.NewTypedRateLimitingQueue(retry),
		memory:         newMemory(),
		terminateAfter: opts.TerminateAfter,
		manual:         opts.Manual,
		cancel:         cancel,
	}
	k.readyAfter.Store(int64(opts.ReadyAfter))
	if err := k.watch(ctx, life); err != nil {
		k.Stop()
		return nil, err
	}
	for range workers {
		k.running.Go(func() { k.work(life) })
	}
	return k, nil
}

// Stop ends the simulation; pods and the Node stay as they are.
func (k *Kubelet) Stop() {
	k.cancel()
	k.queue.ShutDown()
	k.running.Wait()
}

// SetReadyAfter changes the delay for all pods that are not Ready yet. Those that are stay so.
func (k *Kubelet) SetReadyAfter(delay time.Duration) {
	k.readyAfter.Store(int64(delay))
	pods, _ := k.pods.List(labels.Everything()) // a cache cannot fail
	for _, pod := range pods {
		k.queue.Add(cache.MetaObjectToName(pod))
	}
}

// unthrottled is the configuration of a client that keeps up: binary bodies and no limit of its own.
func unthrottled(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.QPS = -1
	config.UserAgent = "simulated-kubelet"
	return config
}

func (k *Kubelet) watch(ctx, life context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(k.client, 0, informers.WithTransform(dropManagedFields))
	informer := factory.Core().V1().Pods().Informer()
	k.pods = factory.Core().V1().Pods().Lister()
	handlers, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { k.seen(obj.(*corev1.Pod)) },
		UpdateFunc: func(old, new any) { k.replaced(old.(*corev1.Pod), new.(*corev1.Pod)) },
		DeleteFunc: k.gone,
	})
	if err != nil {
		return err
	}
	k.running.Go(func() {
		<-life.Done()
		factory.Shutdown()
	})
	factory.StartWithContext(life)
	if !cache.WaitForCacheSync(ctx.Done(), handlers.HasSynced) {
		return fmt.Errorf("while the kubelet read the pods: %w", context.Cause(ctx))
	}
	return nil
}

// dropManagedFields halves what the cache holds. The API server keeps its own when an update brings none.
func dropManagedFields(obj any) (any, error) {
	if pod, ok := obj.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return obj, nil
}

func (k *Kubelet) seen(pod *corev1.Pod) {
	k.memory.learn(pod)
	k.queue.Add(cache.MetaObjectToName(pod))
}

// replaced also hears of a pod that was deleted and made anew under its name while the watch was down.
func (k *Kubelet) replaced(old, new *corev1.Pod) {
	if old.UID != new.UID {
		k.memory.forget(old.UID)
	}
	k.seen(new)
}

func (k *Kubelet) gone(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	if pod, ok := obj.(*corev1.Pod); ok {
		k.memory.forget(pod.UID)
	}
}

func (k *Kubelet) work(ctx context.Context) {
	for {
		name, shutdown := k.queue.Get()
		if shutdown {
			return
		}
		k.sync(ctx, name)
		k.queue.Done(name)
	}
}

// sync takes one step with a pod. A conflict means that a newer state is on its way here, and with it another sync.
func (k *Kubelet) sync(ctx context.Context, name cache.ObjectName) {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return // deleted since
	}
	step, err := k.step(ctx, pod)
	switch {
	case err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err):
		k.queue.Forget(name)
		if step.again > 0 {
			k.queue.AddAfter(name, step.again)
		}
	case ctx.Err() == nil:
		utilruntime.HandleErrorWithContext(ctx, err, "Simulated kubelet retries", "pod", name)
		k.queue.AddRateLimited(name)
	}
}

// step decides the next step for a pod and carries it out.
func (k *Kubelet) step(ctx context.Context, pod *corev1.Pod) (step, error) {
	now := time.Now()
	known, ok := k.memory.recall(pod, now)
	if !ok {
		return step{again: firstRetry}, nil
	}
	next := decide(pod, known, k.pace(), now)
	pods := k.client.CoreV1().Pods(pod.Namespace)
	var err error
	switch {
	case next.bind:
		err = pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: NodeName},
		}, metav1.CreateOptions{})
	case next.status != nil:
		updated := *pod
		updated.Status = *next.status
		_, err = pods.UpdateStatus(ctx, &updated, metav1.UpdateOptions{})
	case next.remove:
		now := metav1.NewDeleteOptions(0)
		now.Preconditions = &metav1.Preconditions{UID: &pod.UID}
		err = pods.Delete(ctx, pod.Name, *now)
	}
	return next, err
}

func (k *Kubelet) pace() pace {
	return pace{
		readyAfter:     time.Duration(k.readyAfter.Load()),
		terminateAfter: k.terminateAfter,
		manual:         k.manual,
	}
}

// Ready makes a pod Ready, whatever its delay, and returns when the API server says so.
func (k *Kubelet) Ready(ctx context.Context, namespace, name string) error {
	return k.command(ctx, namespace, name, wishReady)
}

// Unready makes a pod not Ready, as a failing readiness probe does, and keeps it so until Ready is called.
func (k *Kubelet) Unready(ctx context.Context, namespace, name string) error {
	return k.command(ctx, namespace, name, wishUnready)
}

// Fail makes a pod Failed, as an eviction by the node does. That is final.
func (k *Kubelet) Fail(ctx context.Context, namespace, name string) error {
	return k.command(ctx, namespace, name, wishFailed)
}

// command remembers a wish and takes the steps towards it on live reads, beside the workers, who want the same.
func (k *Kubelet) command(ctx context.Context, namespace, name string, wanted wish) error {
	var uid types.UID
	for {
		pod, err := k.client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if uid == "" {
			uid = pod.UID
			k.memory.wish(uid, wanted)
		}
		if pod.UID != uid || pod.DeletionTimestamp != nil {
			return fmt.Errorf("pod %s/%s has been deleted", namespace, name)
		}
		if wanted.granted(pod) {
			return nil
		}
		next, err := k.step(ctx, pod)
		if err != nil && !apierrors.IsConflict(err) {
			return err
		}
		if next.none() {
			return fmt.Errorf("pod %s/%s cannot become %s: it is %s", namespace, name, wanted, state(pod))
		}
	}
}
