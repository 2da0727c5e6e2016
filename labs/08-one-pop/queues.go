package onepop

import "k8s.io/client-go/tools/cache"

// newDeltaFIFO is the queue that informers had, as they wired it.
func newDeltaFIFO(known cache.Store) *cache.DeltaFIFO {
	return cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: known, EmitDeltaTypeReplaced: true})
}

// newRealFIFO is its successor, made to answer a relist in the same way.
func newRealFIFO(known cache.Store) *cache.RealFIFO {
	return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: known})
}

// newInformersFIFO is the queue that informers have, as newQueueFIFO in client-go's tools/cache/controller.go wires it.
func newInformersFIFO() *cache.RealFIFO {
	return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{
		AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true,
	})
}

// newStore is an informer's store.
func newStore(names ...string) cache.Store {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, name := range names {
		if err := store.Add(object(name)); err != nil {
			panic(err) // the objects have keys
		}
	}
	return store
}
