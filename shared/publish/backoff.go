package publish

import (
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
)

// backoff spaces out the attempts to publish, apart from a workqueue's own backoff: a Fleet whose DNS server is down
// is still reconciled for every event of its pods, and none of those should wait for the server.
type backoff struct {
	delays *flowcontrol.Backoff

	mu   sync.Mutex
	last map[cache.ObjectName]lastFailure
}

type lastFailure struct {
	err        error
	generation int64
	at         time.Time
}

func newBackoff() *backoff {
	return &backoff{
		delays: flowcontrol.NewBackOff(250*time.Millisecond, 30*time.Second),
		last:   map[cache.ObjectName]lastFailure{},
	}
}

// waiting returns how long the next attempt has to wait, and the last failure. A Fleet that was changed since does not.
func (b *backoff) waiting(key cache.ObjectName, generation int64, now time.Time) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, failed := b.last[key]
	if !failed || last.generation != generation {
		return 0, nil
	}
	return max(0, last.at.Add(b.delays.Get(key.String())).Sub(now)), last.err
}

// failed records a failure and returns the wait before the next attempt.
func (b *backoff) failed(key cache.ObjectName, generation int64, err error, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delays.Next(key.String(), now)
	b.last[key] = lastFailure{err: err, generation: generation, at: now}
	return b.delays.Get(key.String())
}

func (b *backoff) forget(key cache.ObjectName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delays.DeleteEntry(key.String())
	delete(b.last, key)
}
