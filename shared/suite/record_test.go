package suite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

// A record is all that has happened in a namespace, as its watches told it.
type record struct {
	mu      sync.Mutex
	changes []change
	now     state
	changed *bell
}

// A change is one watch event.
type change struct {
	event  watch.EventType
	object metav1.Object
}

// order is that of resource versions. Objects of all kinds share one etcd, so theirs can be compared.
func order(a, b change) int {
	c, err := resourceversion.CompareResourceVersion(a.object.GetResourceVersion(), b.object.GetResourceVersion())
	if err != nil {
		panic(err) // the API server gave a resource version that is no number
	}
	return c
}

// A state is what a namespace holds at one moment, by name.
type state struct {
	fleets    map[string]*v1alpha1.Fleet
	pods      map[string]*corev1.Pod
	revisions map[string]*appsv1.ControllerRevision
	events    map[string]*eventsv1.Event
	leases    map[string]*coordinationv1.Lease
	quotas    map[string]*corev1.ResourceQuota
	// zones are what the DNS server holds now; empty for a moment of the past.
	zones map[string][]zone.Entry
}

func emptyState() state {
	return state{
		fleets:    map[string]*v1alpha1.Fleet{},
		pods:      map[string]*corev1.Pod{},
		revisions: map[string]*appsv1.ControllerRevision{},
		events:    map[string]*eventsv1.Event{},
		leases:    map[string]*coordinationv1.Lease{},
		quotas:    map[string]*corev1.ResourceQuota{},
	}
}

func (s state) apply(c change) {
	switch object := c.object.(type) {
	case *v1alpha1.Fleet:
		put(s.fleets, c.event, object)
	case *corev1.Pod:
		put(s.pods, c.event, object)
	case *appsv1.ControllerRevision:
		put(s.revisions, c.event, object)
	case *eventsv1.Event:
		put(s.events, c.event, object)
	case *coordinationv1.Lease:
		put(s.leases, c.event, object)
	case *corev1.ResourceQuota:
		put(s.quotas, c.event, object)
	}
}

func put[T metav1.Object](all map[string]T, event watch.EventType, object T) {
	if event == watch.Deleted {
		delete(all, object.GetName())
	} else {
		all[object.GetName()] = object
	}
}

// follow records a watch until its context is done.
func (r *record) follow(ctx context.Context, t *testing.T, stream watch.Interface) {
	defer stream.Stop()
	for {
		select {
		case event, open := <-stream.ResultChan():
			object, ok := event.Object.(metav1.Object)
			if !open || !ok {
				t.Errorf("a watch of the test ended: %v", apierrors.FromObject(event.Object))
				return
			}
			r.add(change{event.Type, object})
		case <-ctx.Done():
			return
		}
	}
}

func (r *record) add(c change) {
	defer r.changed.ring()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, c)
	r.now.apply(c)
}

// judge asks a claim about the present.
func (r *record) judge(c claim, zones map[string][]zone.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now
	now.zones = zones
	return c(now)
}

// history are the changes so far, in the order in which they happened.
func (r *record) history() []change {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(r.changes), order)
}

// replay shows every moment of the record: the state before a change, and the change.
func (r *record) replay(look func(before state, c change)) {
	s := emptyState()
	for _, c := range r.history() {
		look(s, c)
		s.apply(c)
	}
}

func (c change) String() string {
	return fmt.Sprintf("%s %T %s at %s", c.event, c.object, c.object.GetName(), c.object.GetResourceVersion())
}
