package minictl

import (
	"cmp"
	"slices"
)

const (
	baseDelay = 1
	maxDelay  = 32
)

// Queue is a work queue of keys, not of events: however many events name an object, it is in the queue once. Times are
// ticks. Compare k8s.io/client-go util/workqueue.
type Queue struct {
	due        map[Key]int
	failures   map[Key]int
	processing map[Key]bool
}

// NewQueue makes an empty queue.
func NewQueue() *Queue {
	return &Queue{due: map[Key]int{}, failures: map[Key]int{}, processing: map[Key]bool{}}
}

// Add makes a key due at a tick. Of two ticks the earlier holds, so fresh news does not wait for a backoff to pass.
func (q *Queue) Add(key Key, at int) {
	if due, queued := q.due[key]; !queued || at < due {
		q.due[key] = at
	}
}

// AddRateLimited makes a key that failed due again after a delay, which it returns: 1 tick, and twice as long for every
// failure in succession, up to 32.
func (q *Queue) AddRateLimited(key Key, now int) int {
	delay := min(baseDelay<<min(q.failures[key], 16), maxDelay)
	q.failures[key]++
	q.Add(key, now+delay)
	return delay
}

// Forget ends a succession of failures.
func (q *Queue) Forget(key Key) { delete(q.failures, key) }

// Get takes the key that has been due longest. Until Done it is not handed out again, even if it is added meanwhile.
func (q *Queue) Get(now int) (Key, bool) {
	ready := q.Ready(now)
	if len(ready) == 0 {
		return Key{}, false
	}
	delete(q.due, ready[0])
	q.processing[ready[0]] = true
	return ready[0], true
}

// Ready lists the keys that Get would hand out, in that order.
func (q *Queue) Ready(now int) []Key {
	keys := slices.DeleteFunc(sortedKeys(q.due), func(key Key) bool { return q.due[key] > now || q.processing[key] })
	slices.SortStableFunc(keys, func(a, b Key) int { return cmp.Compare(q.due[a], q.due[b]) })
	return keys
}

// Done ends the processing of a key.
func (q *Queue) Done(key Key) { delete(q.processing, key) }
