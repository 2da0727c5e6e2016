package cluster

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// recorder writes an informer's record at both of its ends: the source that its reflector reads from, and the handler that
// it calls.
type recorder struct {
	changed *bell

	mu     sync.Mutex
	record Record
}

func newRecorder() *recorder { return &recorder{changed: newBell()} }

func (r *recorder) enter(e Entry) {
	defer r.changed.ring()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = append(r.record, e)
}

func (r *recorder) read() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.record)
}

func (r *recorder) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = nil
}

func (r *recorder) source(pods typedv1.PodInterface) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			r.enter(asked("LIST", options))
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			what := "WATCH"
			if ptr.Deref(options.SendInitialEvents, false) {
				what = "WATCHLIST"
			}
			r.enter(asked(what, options))
			events, err := pods.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return r.follow(events), nil
		},
	}
}

// follow passes events on, each when it is on record.
func (r *recorder) follow(events watch.Interface) watch.Interface {
	passed := make(chan watch.Event)
	follower := watch.NewProxyWatcher(passed)
	go func() {
		defer close(passed)
		defer events.Stop()
		for {
			select {
			case e, more := <-events.ResultChan():
				if !more {
					return
				}
				r.enter(came(e))
				select {
				case passed <- e:
				case <-follower.StopChan():
					return
				}
			case <-follower.StopChan():
				return
			}
		}
	}()
	return follower
}

func (r *recorder) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { r.enter(told("add", nil, pod)) },
		UpdateFunc: func(old, pod any) { r.enter(told("update", old, pod)) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				r.enter(told("tombstone", nil, tombstone.Obj))
			} else {
				r.enter(told("delete", nil, object))
			}
		},
	}
}
