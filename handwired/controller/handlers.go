package controller

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
)

// watch adds the indexes and the handlers to the informers. A handler never acts: it puts the key of the Fleet that
// may be concerned on the queue, and the reconcile reads the caches again.
func (c *Controller) watch(fleets, pods, revisions cache.SharedIndexInformer) error {
	for _, informer := range []cache.SharedIndexInformer{pods, revisions} {
		if err := informer.AddIndexers(cache.Indexers{byController: controllerIndex}); err != nil {
			return err
		}
	}
	for _, informer := range []cache.SharedIndexInformer{fleets, pods, revisions} {
		if err := informer.SetTransform(dropManagedFields); err != nil {
			return err
		}
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		fleets: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { c.fleetChanged(nil, object) },
			UpdateFunc: c.fleetChanged,
			DeleteFunc: func(object any) { c.fleetChanged(object, nil) },
		},
		pods: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { c.podChanged(nil, object) },
			UpdateFunc: c.podChanged,
			DeleteFunc: c.podDeleted,
		},
		revisions: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { c.dependentChanged(nil, object) },
			UpdateFunc: c.dependentChanged,
			DeleteFunc: func(object any) { c.dependentChanged(object, nil) },
		},
	} {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return err
		}
		c.hasSynced = append(c.hasSynced, registration.HasSynced)
	}
	return nil
}

// byController indexes objects by the uid of their controller; those without one, by orphansOf their namespace.
const byController = "controller"

func orphansOf(namespace string) string { return "orphans/" + namespace }

func controllerIndex(object any) ([]string, error) {
	meta, ok := object.(metav1.Object)
	if !ok {
		return nil, fmt.Errorf("not an API object: %T", object)
	}
	if controller := metav1.GetControllerOfNoCopy(meta); controller != nil {
		return []string{string(controller.UID)}, nil
	}
	return []string{orphansOf(meta.GetNamespace())}, nil
}

// dropManagedFields keeps out of the caches what no reconcile reads and what is often the larger part of an object.
func dropManagedFields(object any) (any, error) {
	if meta, ok := object.(metav1.Object); ok {
		meta.SetManagedFields(nil)
	}
	return object, nil
}

// as is the object of an event. A deletion that the watch missed arrives as a tombstone with the last known state.
func as[T metav1.Object](object any) (T, bool) {
	if tombstone, missed := object.(cache.DeletedFinalStateUnknown); missed {
		object = tombstone.Obj
	}
	typed, ok := object.(T)
	return typed, ok
}

func (c *Controller) enqueue(f *v1alpha1.Fleet) {
	klog.Background().V(4).Info("enqueued", "fleet", klog.KObj(f))
	c.queue.Add(cache.MetaObjectToName(f))
}

// logHandled says of which object, and of which version of it, a handler has done what there is to do.
func logHandled(before, after any) {
	if after == nil {
		after = before
	}
	if object, ok := as[metav1.Object](after); ok {
		klog.Background().V(4).Info("handled", "object", klog.KObj(object), "resourceVersion", object.GetResourceVersion())
	}
}

// fleetChanged enqueues the Fleet, and those whose selectors overlap with it when that may have changed.
func (c *Controller) fleetChanged(before, after any) {
	defer logHandled(before, after)
	was, existed := as[*v1alpha1.Fleet](before)
	is, exists := as[*v1alpha1.Fleet](after)
	switch {
	case exists:
		c.enqueue(is)
	case existed:
		c.enqueue(was)
	default:
		return
	}
	if existed && exists && was.UID == is.UID && maps.Equal(was.Spec.Template.Labels, is.Spec.Template.Labels) {
		return
	}
	for _, f := range []*v1alpha1.Fleet{was, is} {
		if f != nil {
			c.enqueueWhere(f.Namespace, func(sibling *v1alpha1.Fleet) bool {
				return sibling.Name != f.Name && fleet.Overlaps(sibling, f)
			})
		}
	}
}

// podChanged has a pod on its way out count as deleted: that is when a replacement is due, and a watch that starts
// late shows no other sign of it.
func (c *Controller) podChanged(before, after any) {
	pod, ok := as[*corev1.Pod](after)
	if !ok {
		return
	}
	if pod.DeletionTimestamp != nil {
		c.expectations.deleted(pod.UID)
	} else {
		c.expectations.created(pod.UID)
	}
	c.dependentChanged(before, after)
}

func (c *Controller) podDeleted(object any) {
	if pod, ok := as[*corev1.Pod](object); ok {
		c.expectations.created(pod.UID)
		c.expectations.deleted(pod.UID)
		c.dependentChanged(object, nil)
	}
}

// dependentChanged enqueues the Fleet that controls an object, the one that did before, and, when nobody does, those
// that could adopt it.
func (c *Controller) dependentChanged(before, after any) {
	defer logHandled(before, after)
	for _, object := range []any{before, after} {
		dependent, ok := as[metav1.Object](object)
		if !ok {
			continue
		}
		if controller := metav1.GetControllerOfNoCopy(dependent); controller != nil {
			c.enqueueController(dependent.GetNamespace(), controller)
			continue
		}
		c.enqueueWhere(dependent.GetNamespace(), func(f *v1alpha1.Fleet) bool {
			return fleet.Selects(f, dependent.GetLabels())
		})
	}
}

// enqueueController enqueues the Fleet an owner reference names, if it is a Fleet and not a later one of that name.
func (c *Controller) enqueueController(namespace string, controller *metav1.OwnerReference) {
	if controller.Kind != v1alpha1.FleetKind.Kind {
		return
	}
	f, err := c.fleetLister.Fleets(namespace).Get(controller.Name)
	if err == nil && f.UID == controller.UID {
		c.enqueue(f)
	}
}

func (c *Controller) enqueueWhere(namespace string, concerned func(*v1alpha1.Fleet) bool) {
	fleets, err := c.fleetLister.Fleets(namespace).List(labels.Everything())
	if err != nil {
		klog.Background().Error(err, "listing Fleets from the cache", "namespace", namespace)
		return
	}
	for _, f := range fleets {
		if concerned(f) {
			c.enqueue(f)
		}
	}
}
