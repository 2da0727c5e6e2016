package minictl

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// Sync is the type of the events with which a resync replays a cache.
const Sync watch.EventType = "SYNC"

// Informer lists one kind, watches it from there on, and keeps a cache of what it has heard. Compare Reflector and
// SharedInformer in k8s.io/client-go tools/cache.
type Informer struct {
	// Resync is how many ticks apart the cache is replayed to the handler; 0 is never.
	Resync int
	// Lag is how many ticks late events arrive.
	Lag int
	// Drop loses every event between the cache and the handler, as a faulty handler would.
	Drop bool
	// Disconnected loses the connection: nothing arrives, and the server does not wait.
	Disconnected bool
	// Relisted, if set, hears why the informer lists anew.
	Relisted func(error)

	store   *Store
	kind    Kind
	handle  func(Event)
	version string // empty before the first list
	cache   map[Key]Object
	late    []arrival
	synced  int
}

type arrival struct {
	tick  int
	event Event
}

// NewInformer makes an informer that lists on its first poll.
func NewInformer(store *Store, kind Kind, handle func(Event)) *Informer {
	return &Informer{store: store, kind: kind, handle: handle, cache: map[Key]Object{}}
}

// Poll brings the cache up to date and tells the handler what changed.
func (i *Informer) Poll(now int) {
	if i.Disconnected {
		return
	}
	if i.version == "" {
		i.relist(now)
	}
	events, version, err := i.store.Watch(i.kind, namespace, labels.Everything(), i.version)
	if apierrors.IsResourceExpired(err) {
		if i.Relisted != nil {
			i.Relisted(err)
		}
		i.relist(now)
	} else {
		i.version = version
	}
	for _, event := range events {
		i.late = append(i.late, arrival{now + i.Lag, event})
	}
	for len(i.late) > 0 && i.late[0].tick <= now {
		i.deliver(i.late[0].event)
		i.late = i.late[1:]
	}
	if i.Resync > 0 && now-i.synced >= i.Resync {
		i.synced = now
		for _, key := range sortedKeys(i.cache) {
			i.handle(Event{Sync, copyOf(i.cache[key])})
		}
	}
}

// relist compares a new list with the cache, so that what vanished unheard is still reported as deleted.
func (i *Informer) relist(now int) {
	objects, version := i.store.List(i.kind, namespace, labels.Everything())
	if i.version == "" {
		i.synced = now
	}
	i.version, i.late = version, nil
	listed := map[Key]bool{}
	for _, object := range objects {
		listed[keyOf(object)] = true
	}
	for _, key := range sortedKeys(i.cache) {
		if !listed[key] {
			i.deliver(Event{watch.Deleted, i.cache[key]})
		}
	}
	for _, object := range objects {
		cached, known := i.cache[keyOf(object)]
		switch {
		case !known:
			i.deliver(Event{watch.Added, object})
		case cached.GetResourceVersion() != object.GetResourceVersion():
			i.deliver(Event{watch.Modified, object})
		}
	}
}

func (i *Informer) deliver(event Event) {
	if key := keyOf(event.Object); event.Type == watch.Deleted {
		delete(i.cache, key)
	} else {
		i.cache[key] = event.Object
	}
	if !i.Drop {
		i.handle(event)
	}
}

// informers serve reads from their caches.
type informers map[Kind]*Informer

// Get implements Reader.
func (all informers) Get(kind Kind, key Key) (Object, error) {
	return getCopy(all[kind].cache, kind, key)
}

// List implements Reader.
func (all informers) List(kind Kind, namespace string, selector labels.Selector) ([]Object, string) {
	return listCopies(all[kind].cache, namespace, selector), all[kind].version
}
