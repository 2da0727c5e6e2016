package unseendelete

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// A way is one of those in which an OnDelete gets from the object that it is given to the key that it enqueues.
type way struct {
	name string
	key  func(object any) (string, error)
}

var ways = []way{
	{"assertion", func(object any) (string, error) {
		return cache.MetaNamespaceKeyFunc(object.(*corev1.Pod))
	}},
	{"checked-assertion", func(object any) (string, error) {
		if pod, ok := object.(*corev1.Pod); ok {
			return cache.MetaNamespaceKeyFunc(pod)
		}
		return "", nil
	}},
	{"meta-key", cache.MetaNamespaceKeyFunc},
	{"deletion-handling-key", cache.DeletionHandlingMetaNamespaceKeyFunc},
}

// What becomes of a key.
const (
	enqueued = "the key"
	nothing  = "nothing"
	failure  = "an error"
	panics   = "a panic"
)

// outcome is what comes of a deletion this way.
func (w way) outcome(d deletion) (outcome string) {
	defer func() {
		if recover() != nil {
			outcome = panics
		}
	}()
	key, err := w.key(d.object)
	switch {
	case err != nil:
		return failure
	case key == "":
		return nothing
	case key != d.key():
		return "another key"
	default:
		return enqueued
	}
}
