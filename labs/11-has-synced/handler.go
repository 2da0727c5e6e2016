package hassynced

import (
	"sync"
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// gated is a handler that returns from no OnAdd before it is let.
type gated struct {
	store   cache.Store
	entered chan int // how many were in the store at the first OnAdd
	handled atomic.Int64
	gate    chan struct{}
	open    func()
}

func newGated(store cache.Store) *gated {
	g := &gated{store: store, entered: make(chan int, 1), gate: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.gate) })
	return g
}

func (g *gated) OnAdd(any, bool) {
	select {
	case g.entered <- len(g.store.ListKeys()):
	default: // not the first
	}
	<-g.gate
	g.handled.Add(1)
}

func (g *gated) OnUpdate(_, _ any) {}
func (g *gated) OnDelete(any)      {}

// enqueue is the handler that controllers have.
func enqueue(queue workqueue.TypedInterface[cache.ObjectName]) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if key, err := cache.ObjectToName(object); err == nil {
			queue.Add(key)
		}
	}}
}
