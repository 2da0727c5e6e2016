package emptycache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// handler tells of every event, with the object that it leaves in the cache or takes out of it.
func handler(changed func(object metav1.Object, added bool)) cache.ResourceEventHandler {
	tell := func(object any, added bool) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		if object, ok := object.(metav1.Object); ok {
			changed(object, added)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell(object, true) },
		UpdateFunc: func(_, object any) { tell(object, false) },
		DeleteFunc: func(object any) { tell(object, false) },
	}
}

func (c *controller) fleetChanged(fleet metav1.Object, _ bool) {
	c.queue.Add(cache.MetaObjectToName(fleet))
}

// podChanged enqueues the Fleet that the pod's owner reference names. Whether the cache has that Fleet is not asked.
func (c *controller) podChanged(pod metav1.Object, added bool) {
	if added {
		c.expectations.seen()
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		c.queue.Add(cache.ObjectName{Namespace: pod.GetNamespace(), Name: owner.Name})
	}
}

// owns tells whether a pod's owner reference names the Fleet.
func owns(fleet string, pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Name == fleet
}
