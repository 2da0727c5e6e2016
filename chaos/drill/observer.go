package drill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"example.com/twinloop/chaos/proxy"
)

// observer watches the API server itself, past every proxy, and keeps what it sees by namespace.
type observer struct {
	client    dynamic.Interface
	resources []observed
	watching  sync.WaitGroup
	stop      context.CancelFunc

	mu         sync.Mutex
	namespaces map[string]*observation
}

// observed is one resource that is watched.
type observed struct {
	plural   string
	resource schema.GroupVersionResource
	kind     schema.GroupKind
}

// observation is what was seen of one namespace.
type observation struct {
	state   state
	events  []Event
	last    time.Time     // of the newest event; before the first, when the namespace was first asked about
	changed chan struct{} // closed and replaced at every event
}

// observe starts to watch the resources of a definition in all namespaces.
func observe(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, names []string) (*observer, error) {
	ctx, stop := context.WithCancel(ctx)
	o := &observer{client: client, stop: stop, namespaces: map[string]*observation{}}
	for _, name := range names {
		mapping, err := findNamespaced(mapper, name)
		if err != nil {
			o.close()
			return nil, fmt.Errorf("observe: %q: %w", name, err)
		}
		o.resources = append(o.resources, observed{plural(name), mapping.Resource, mapping.GroupVersionKind.GroupKind()})
	}
	for _, resource := range o.resources {
		if err := o.watch(ctx, resource); err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}

// findNamespaced is a resource, named as plural.group, whose objects are in namespaces, as runs are.
func findNamespaced(mapper meta.RESTMapper, name string) (*meta.RESTMapping, error) {
	kind, err := mapper.KindFor(schema.ParseGroupResource(name).WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil, errors.New("the API server has no such resource; name it as plural.group, " +
			"or add its CustomResourceDefinition to operator.manifests")
	}
	if err != nil {
		return nil, err
	}
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return nil, errors.New("it is in no namespace, and each run has only its own: leave it out; it cannot be judged")
	}
	return mapping, nil
}

func (o *observer) close() {
	o.stop()
	o.watching.Wait()
}

func (o *observer) plurals() []string {
	var names []string
	for _, resource := range o.resources {
		names = append(names, resource.plural)
	}
	return names
}

// kinds are those of the resources that are observed.
func (o *observer) kinds() knownKinds {
	all := knownKinds{}
	for _, resource := range o.resources {
		all[resource.kind] = resource.plural
	}
	return all
}

// watch follows one resource, from what there is now.
func (o *observer) watch(ctx context.Context, of observed) error {
	client := o.client.Resource(of.resource)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("observing %s: %w", of.plural, err)
	}
	for i := range list.Items {
		o.saw(Event{watch.Added, of.plural, &list.Items[i], time.Now()})
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	})
	if err != nil {
		return fmt.Errorf("observing %s: %w", of.plural, err)
	}
	o.watching.Go(func() {
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Bookmark {
				object.SetManagedFields(nil)
				o.saw(Event{event.Type, of.plural, object, time.Now()})
			}
		}
	})
	return nil
}

// saw takes in an event. One of a leader lock tells of nothing but that its holder lives.
func (o *observer) saw(e Event) {
	if proxy.HasLeaderRecord(e.Object) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.ofLocked(e.Object.GetNamespace())
	of.state.apply(e)
	of.events = append(of.events, e)
	of.last = e.Seen
	close(of.changed)
	of.changed = make(chan struct{})
}

func (o *observer) ofLocked(namespace string) *observation {
	of, ok := o.namespaces[namespace]
	if !ok {
		of = &observation{state: newState(o.plurals()), last: time.Now(), changed: make(chan struct{})}
		o.namespaces[namespace] = of
	}
	return of
}

// now is what a namespace holds as far as was seen, and a channel that is closed at the next event.
func (o *observer) now(namespace string) (map[string][]any, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.ofLocked(namespace)
	return of.state.lists(), of.changed
}

// events are what happened in a namespace so far.
func (o *observer) events(namespace string) []Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.ofLocked(namespace).events)
}

// newest returns the last event of an object so far, and whether there has been one.
func (o *observer) newest(namespace string, object objectKey) (Event, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range slices.Backward(o.ofLocked(namespace).events) {
		if e.Resource == object.plural && e.Object.GetName() == object.name {
			return e, true
		}
	}
	return Event{}, false
}

// quiet waits until there has been no event in a namespace for d.
func (o *observer) quiet(ctx context.Context, namespace string, d time.Duration) error {
	for {
		o.mu.Lock()
		of := o.ofLocked(namespace)
		wait, changed := d-time.Since(of.last), of.changed
		o.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// forget drops what was seen of a namespace whose run is over.
func (o *observer) forget(namespace string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.namespaces, namespace)
}

// read asks the API server what a namespace holds at this moment.
func (o *observer) read(ctx context.Context, namespace string) (map[string][]any, error) {
	now := newState(o.plurals())
	for _, of := range o.resources {
		list, err := o.client.Resource(of.resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", of.plural, err)
		}
		for i := range list.Items {
			if proxy.HasLeaderRecord(&list.Items[i]) {
				continue
			}
			now.apply(Event{Type: watch.Added, Resource: of.plural, Object: &list.Items[i]})
		}
	}
	return now.lists(), nil
}
