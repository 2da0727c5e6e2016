package minictl

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Stats count what a controller did.
type Stats struct {
	// Events are those heard, Reconciles the passes they led to.
	Events     int `json:"events"`
	Reconciles int `json:"reconciles"`
	Conflicts  int `json:"conflicts"`
	Errors     int `json:"errors"`
}

// Controller wires informers to a queue and works the queue off.
type Controller struct {
	Name  string
	Kind  Kind
	Stats Stats
	Queue *Queue

	store     *Store
	log       *Log
	informers informers
	// reconcile brings one object nearer to its spec. If it returns a positive number of ticks, it wants another look
	// after them, whatever happens.
	reconcile func(key Key, now int) (after int, err error)
	// observe, if set, hears of every event before the queue does.
	observe func(Event)
}

// start gives a controller an empty queue, and informers of its kind and of one that it owns, which begin with a list.
func (c *Controller) start(owned Kind) {
	c.Queue = NewQueue()
	c.informers = informers{
		c.Kind: NewInformer(c.store, c.Kind, func(event Event) { c.hear(event, keyOf(event.Object)) }),
		owned:  NewInformer(c.store, owned, func(event Event) { c.hear(event, c.ownersOf(event.Object)...) }),
	}
	for _, informer := range c.informers {
		informer.Relisted = func(err error) {
			c.log.Record(c.Name, informer.kind.Resource, "Relist", err.Error())
		}
	}
}

// hear queues keys. What happened is not kept: the pass that follows looks at how things are.
func (c *Controller) hear(event Event, keys ...Key) {
	c.Stats.Events++
	if c.observe != nil {
		c.observe(event)
	}
	for _, key := range keys {
		c.Queue.Add(key, c.store.clock.Tick())
	}
}

// ownersOf are the objects to look at when one of the owned kind changed: the one that controls it, or else those that
// may adopt it.
func (c *Controller) ownersOf(object Object) []Key {
	if ref := metav1.GetControllerOf(object); ref != nil {
		if ref.Kind == c.Kind.Kind {
			return []Key{{Namespace: object.GetNamespace(), Name: ref.Name}}
		}
		return nil
	}
	var keys []Key
	adopters, _ := c.informers.List(c.Kind, object.GetNamespace(), labels.Everything())
	for _, adopter := range adopters {
		if selectorOf(adopter).Matches(labels.Set(object.GetLabels())) {
			keys = append(keys, keyOf(adopter))
		}
	}
	return keys
}

// Step lets the informers catch up, and then reconciles what is due now.
func (c *Controller) Step(now int) {
	for _, kind := range kinds {
		if informer, ok := c.informers[kind]; ok {
			informer.Poll(now)
		}
	}
	for range c.Queue.Ready(now) {
		key, _ := c.Queue.Get(now)
		c.work(key, now)
		c.Queue.Done(key)
	}
}

// work is one pass. Any error, a conflict like others, puts the key back with a delay; the next pass reads afresh.
func (c *Controller) work(key Key, now int) {
	c.Stats.Reconciles++
	after, err := c.reconcile(key, now)
	if err != nil {
		if apierrors.IsConflict(err) {
			c.Stats.Conflicts++
		} else {
			c.Stats.Errors++
		}
		delay := c.Queue.AddRateLimited(key, now)
		c.log.Recordf(c.Name, c.Kind.Kind+"/"+key.String(), string(apierrors.ReasonForError(err)),
			"%s; requeue in %d tick(s)", err, delay)
		return
	}
	c.Queue.Forget(key)
	if after > 0 {
		c.Queue.Add(key, now+after)
	}
}
