package emptycache

import "sync/atomic"

// expectations count the creates that the cache has not shown yet. A create is counted before it is sent, since the watch may
// be faster than the answer.
//
// It is what a lab needs of k8s.io/kubernetes@v1.37.2/pkg/controller/controller_utils.go:169#ControllerExpectations, which are
// kept for each key, count deletions as well, and give up after five minutes.
type expectations struct{ missing atomic.Int64 }

func (e *expectations) expect() { e.missing.Add(1) }

// seen counts a pod that has come into the cache; where none is missing, it was there before.
func (e *expectations) seen() {
	for {
		missing := e.missing.Load()
		if missing == 0 || e.missing.CompareAndSwap(missing, missing-1) {
			return
		}
	}
}

func (e *expectations) fulfilled() bool { return e.missing.Load() == 0 }
