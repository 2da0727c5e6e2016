package minictl

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Expectations are the writes of a controller that its cache has not shown it yet. While some are outstanding, a count
// of what the cache shows is wrong, and acting on it would do the same work twice.
//
// Deletions are tracked by UID and not counted: the same deletion can be heard of twice, and a pod may be deleted by
// someone else, and neither may pass for a deletion that is still to come. As UIDTrackingControllerExpectations in
// k8s.io/kubernetes pkg/controller/controller_utils.go.
//
// A nil *Expectations expects nothing.
type Expectations struct {
	// Timeout is how many ticks an event is waited for. One that was lost never comes.
	Timeout int

	byKey map[Key]*expectation
}

type expectation struct {
	creations int
	deletions sets.Set[types.UID]
	since     int
}

// NewExpectations makes an empty set of expectations.
func NewExpectations(timeout int) *Expectations {
	return &Expectations{Timeout: timeout, byKey: map[Key]*expectation{}}
}

// Expect replaces what is expected for a key.
func (e *Expectations) Expect(key Key, creations int, deletions []types.UID, now int) {
	if e == nil {
		return
	}
	e.byKey[key] = &expectation{creations, sets.New(deletions...), now}
}

// CreationObserved counts a creation that was heard of, or that failed.
func (e *Expectations) CreationObserved(key Key) {
	if expected := e.of(key); expected != nil {
		expected.creations--
	}
}

// DeletionObserved strikes out a deletion that was heard of, or that failed.
func (e *Expectations) DeletionObserved(key Key, uid types.UID) {
	if expected := e.of(key); expected != nil {
		expected.deletions.Delete(uid)
	}
}

// Outstanding is what is still expected, and for how many more ticks it is waited for; 0 if for none.
func (e *Expectations) Outstanding(key Key, now int) (creations, deletions, wait int) {
	expected := e.of(key)
	if expected == nil || expected.creations <= 0 && len(expected.deletions) == 0 {
		return 0, 0, 0
	}
	return max(0, expected.creations), len(expected.deletions), max(0, expected.since+e.Timeout-now)
}

// Forget drops what is expected for a key.
func (e *Expectations) Forget(key Key) {
	if e != nil {
		delete(e.byKey, key)
	}
}

func (e *Expectations) of(key Key) *expectation {
	if e == nil {
		return nil
	}
	return e.byKey[key]
}
