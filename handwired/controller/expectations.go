package controller

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
)

// expectationTimeout is how long a pod that was created or deleted may take to show up in the cache before it is no
// longer waited for. As ExpectationsTimeout in k8s.io/kubernetes pkg/controller/controller_utils.go.
const expectationTimeout = 5 * time.Minute

// expectations remember which own writes the pod cache does not show yet.
//
// A cache lags behind the API server. A reconcile that counts pods in a cache without those that it has just created
// creates them again; one that counts pods it has just deleted deletes others too little or too much. So a Fleet whose
// expectations are not fulfilled is left alone: the event that fulfils the last one enqueues it.
//
// Created pods are known by the uid in the API server's answer, deleted ones by the uid that was asked for. When no
// answer came, what the API server did is in doubt, and only a read from the API server itself can tell.
type expectations struct {
	mu      sync.Mutex
	ofFleet map[cache.ObjectName]*expected
	fleetOf map[types.UID]cache.ObjectName
}

type expected struct {
	created, deleted sets.Set[types.UID]
	inDoubt          bool
	since            time.Time
}

func newExpectations() *expectations {
	return &expectations{ofFleet: map[cache.ObjectName]*expected{}, fleetOf: map[types.UID]cache.ObjectName{}}
}

// expectCreated waits for a pod that was created. It must be called before the cache is searched for the pod, since the
// event may come before the answer.
func (e *expectations) expectCreated(key cache.ObjectName, pod types.UID, now time.Time) {
	e.expect(key, pod, now, func(of *expected) { of.created.Insert(pod) })
}

// expectDeleted waits for a pod that is about to be deleted.
func (e *expectations) expectDeleted(key cache.ObjectName, pod types.UID, now time.Time) {
	e.expect(key, pod, now, func(of *expected) { of.deleted.Insert(pod) })
}

func (e *expectations) expect(key cache.ObjectName, pod types.UID, now time.Time, add func(*expected)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	add(e.of(key, now))
	e.fleetOf[pod] = key
}

// doubt records that a write may or may not have happened.
func (e *expectations) doubt(key cache.ObjectName, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of(key, now).inDoubt = true
}

func (e *expectations) of(key cache.ObjectName, now time.Time) *expected {
	of, ok := e.ofFleet[key]
	if !ok {
		of = &expected{created: sets.New[types.UID](), deleted: sets.New[types.UID]()}
		e.ofFleet[key] = of
	}
	of.since = now
	return of
}

// created tells that the cache shows a pod, or showed it once.
func (e *expectations) created(pod types.UID) {
	e.fulfil(pod, func(of *expected) { of.created.Delete(pod) })
}

// deleted tells that a pod is on its way out or gone, or that it was not deleted after all.
func (e *expectations) deleted(pod types.UID) {
	e.fulfil(pod, func(of *expected) { of.deleted.Delete(pod) })
}

func (e *expectations) fulfil(pod types.UID, remove func(*expected)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key, ok := e.fleetOf[pod]
	if !ok {
		return
	}
	if of, ok := e.ofFleet[key]; ok {
		remove(of)
		if of.created.Has(pod) || of.deleted.Has(pod) {
			return
		}
	}
	delete(e.fleetOf, pod)
}

// settleDoubt ends the doubt about a Fleet, with the pods that the API server was found to hold and that are not on their
// way out: they are waited for, and their deletions are not.
func (e *expectations) settleDoubt(key cache.ObjectName, held map[types.UID]*corev1.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	of, ok := e.ofFleet[key]
	if !ok {
		return
	}
	of.inDoubt = false
	for pod := range held {
		of.created.Insert(pod)
		of.deleted.Delete(pod)
		e.fleetOf[pod] = key
	}
}

// pending returns how much longer a Fleet's own writes are waited for, and whether one of them is in doubt.
func (e *expectations) pending(key cache.ObjectName, now time.Time) (wait time.Duration, inDoubt bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	of, ok := e.ofFleet[key]
	if !ok {
		return 0, false
	}
	if of.inDoubt {
		return 0, true
	}
	wait = of.since.Add(expectationTimeout).Sub(now)
	if of.created.Len()+of.deleted.Len() == 0 || wait <= 0 {
		e.forgetLocked(key)
		return 0, false
	}
	return wait, false
}

// forget drops what is expected of a Fleet that is gone.
func (e *expectations) forget(key cache.ObjectName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forgetLocked(key)
}

func (e *expectations) forgetLocked(key cache.ObjectName) {
	if of, ok := e.ofFleet[key]; ok {
		for pod := range of.created.Union(of.deleted) {
			delete(e.fleetOf, pod)
		}
		delete(e.ofFleet, key)
	}
}
