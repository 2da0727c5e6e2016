package emptycache

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"
)

// ownWrites remember the version of the last pod that was written. A cache that is as new shows it, and all before it.
//
// It is what a lab needs of
// k8s.io/kubernetes@v1.37.2/pkg/controller/util/consistency/consistency.go:57#RealConsistencyStore, which keeps a version for
// each owner and resource.
type ownWrites struct{ version string }

func (w *ownWrites) wrote(pod *corev1.Pod) { w.version = pod.ResourceVersion }

func (w *ownWrites) shownBy(store cache.Store) bool {
	if w.version == "" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(store.LastStoreSyncResourceVersion(), w.version)
	return err == nil && order >= 0
}
