package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/api/generated/informers/externalversions"
)

// State is what is in [Namespace] at one moment, by name.
type State struct {
	Fleets map[string]*v1alpha1.Fleet
	Pods   map[string]*corev1.Pod
}

// PodsOf are the names of the pods that a Fleet controls and that are not on their way out, in order.
func (s State) PodsOf(fleet string) []string {
	f := s.Fleets[fleet]
	var names []string
	for name, pod := range s.Pods {
		if f != nil && metav1.IsControlledBy(pod, f) && pod.DeletionTimestamp == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// An Observer watches [Namespace] by a way of its own, and remembers every state that it was in. What it shows of Fleets and
// of pods is each in order, but one may be ahead of the other.
type Observer struct {
	changed *bell

	mu     sync.Mutex
	states []State
}

// Observe begins to watch, until the cluster is stopped.
func (c *Cluster) Observe(ctx context.Context) (*Observer, error) {
	o := &Observer{changed: newBell(), states: []State{{Fleets: map[string]*v1alpha1.Fleet{}, Pods: map[string]*corev1.Pod{}}}}
	kube := informers.NewSharedInformerFactoryWithOptions(c.Kube, 0, informers.WithNamespace(Namespace))
	fleets := externalversions.NewSharedInformerFactoryWithOptions(c.Fleets, 0, externalversions.WithNamespace(Namespace))
	err := errors.Join(
		follow(o, fleets.Fleet().V1alpha1().Fleets().Informer(), func(s *State) *map[string]*v1alpha1.Fleet { return &s.Fleets }),
		follow(o, kube.Core().V1().Pods().Informer(), func(s *State) *map[string]*corev1.Pod { return &s.Pods }))
	if err != nil {
		return nil, err
	}
	watching, cancel := context.WithCancel(ctx)
	kube.StartWithContext(watching)
	fleets.StartWithContext(watching)
	c.stops = append(c.stops, func() {
		cancel()
		kube.Shutdown()
		fleets.Shutdown()
	})
	return o, nil
}

// follow makes a state of every event.
func follow[T metav1.Object](o *Observer, informer cache.SharedIndexInformer, of func(*State) *map[string]T) error {
	become := func(change func(map[string]T)) {
		defer o.changed.ring()
		o.mu.Lock()
		defer o.mu.Unlock()
		next := o.states[len(o.states)-1]
		objects := of(&next)
		*objects = maps.Clone(*objects)
		change(*objects)
		o.states = append(o.states, next)
	}
	set := func(object any) {
		become(func(all map[string]T) { all[object.(T).GetName()] = object.(T) })
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    set,
		UpdateFunc: func(_, object any) { set(object) },
		DeleteFunc: func(object any) {
			if tombstone, missed := object.(cache.DeletedFinalStateUnknown); missed {
				object = tombstone.Obj
			}
			become(func(all map[string]T) { delete(all, object.(T).GetName()) })
		},
	})
	return err
}

// Now is the newest state.
func (o *Observer) Now() State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.states[len(o.states)-1]
}

// States are all so far, the newest last.
func (o *Observer) States() []State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.states)
}

// Await waits until the newest state is as it should be, and is that state.
func (o *Observer) Await(ctx context.Context, what string, holds func(State) bool) (State, error) {
	var state State
	err := await(ctx, what, func() (bool, error) {
		state = o.Now()
		return holds(state), nil
	}, o.changed.rung, never)
	return state, err
}
