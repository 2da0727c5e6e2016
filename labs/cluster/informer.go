package cluster

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Informer is client-go's shared informer of the pods in [Namespace], by way of the proxy. It keeps a record of what its
// reflector asks for, what comes, and what its handlers are told.
type Informer struct {
	cache.SharedIndexInformer
	handled  cache.ResourceEventHandlerRegistration
	recorder *recorder
	stop     context.CancelFunc
	stopped  chan struct{}
}

// Mode is how an informer's reflector gets hold of the state with which it begins.
type Mode string

// WatchList is what reflectors do by default. With KUBE_FEATURE_WatchListClient=false they do what they did before.
const (
	WatchList     Mode = "WatchList"
	ListThenWatch Mode = "LIST, then WATCH"
)

// IsWatchListSemanticsUnSupported is what a reflector asks of its client before it begins with a watch. It is meant for fake
// clients; here it decides for one informer what the environment would decide for all.
func (m Mode) IsWatchListSemanticsUnSupported() bool { return m == ListThenWatch }

// NewInformer makes an informer; handlers may be added until Start. Stop it before the cluster.
func (c *Cluster) NewInformer(mode Mode) (*Informer, error) {
	client, err := kubernetes.NewForConfig(c.ProxyConfig())
	if err != nil {
		return nil, err
	}
	i := &Informer{recorder: newRecorder(), stopped: make(chan struct{})}
	source := cache.ToListWatcherWithWatchListSemantics(i.recorder.source(client.CoreV1().Pods(Namespace)), mode)
	i.SharedIndexInformer = cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	i.handled, err = i.AddEventHandler(i.recorder.handler())
	return i, err
}

// Start runs the informer, and returns when its handlers have been told of every pod there was.
func (i *Informer) Start(ctx context.Context) error {
	ctx, i.stop = context.WithCancel(ctx)
	go func() {
		defer close(i.stopped)
		i.RunWithContext(ctx)
	}()
	select {
	case <-i.handled.HasSyncedChecker().Done():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop returns when nothing of the informer runs any more.
func (i *Informer) Stop() {
	i.stop()
	<-i.stopped
}

// Record is what has been recorded since it was last cleared.
func (i *Informer) Record() Record { return i.recorder.read() }

// ClearRecord begins a new record.
func (i *Informer) ClearRecord() { i.recorder.clear() }

// Await returns when handlers have been told this of a pod.
func (i *Informer) Await(ctx context.Context, what, pod string) error {
	return await(ctx, fmt.Sprintf("the %s of %s", what, pod), func() (bool, error) {
		return slices.ContainsFunc(i.Record().Calls(pod), func(call Entry) bool { return call.What == what }), nil
	}, i.recorder.changed.rung, never)
}
