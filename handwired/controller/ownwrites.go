package controller

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// ownWrites remember the version of each Fleet that the controller wrote last. A cache that still shows an older one is
// not worth a reconcile: its status would be written over a version that is gone, and refused. The event that brings
// the newer version enqueues the Fleet. Versions of one resource can be compared since Kubernetes 1.35 (KEP-5504).
type ownWrites struct {
	mu      sync.Mutex
	version map[cache.ObjectName]string
}

func newOwnWrites() *ownWrites {
	return &ownWrites{version: map[cache.ObjectName]string{}}
}

func (w *ownWrites) wrote(f *v1alpha1.Fleet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version[cache.MetaObjectToName(f)] = f.ResourceVersion
}

// shownBy reports whether a Fleet from the cache is as new as the last own write.
func (w *ownWrites) shownBy(f *v1alpha1.Fleet) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := cache.MetaObjectToName(f)
	written, ok := w.version[key]
	if !ok {
		return true
	}
	if order, err := resourceversion.CompareResourceVersion(f.ResourceVersion, written); err == nil && order < 0 {
		return false
	}
	delete(w.version, key)
	return true
}

func (w *ownWrites) forget(key cache.ObjectName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.version, key)
}
