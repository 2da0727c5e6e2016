package proxy

import (
	"context"
	"math"
	"time"
)

// traffic is how busy the proxy is, guarded by Proxy.mu.
type traffic struct {
	open       int       // requests that have arrived and not finished
	writing    int       // of these, writes that Quiet waits for
	unanswered int       // writes the API server has and has not answered, background or not
	lastWrite  time.Time // when such a write last arrived or finished; before the first, when the proxy was made
}

func (t *traffic) arrived(write bool, now time.Time) {
	t.open++
	if write {
		t.writing++
		t.lastWrite = now
	}
}

func (t *traffic) left(write bool, now time.Time) {
	t.open--
	if write {
		t.writing--
		t.lastWrite = now
	}
}

// untilQuiet is how long it takes at the least until there has been no write for d, and 0 if there has not.
func (t *traffic) untilQuiet(now time.Time, d time.Duration) time.Duration {
	if t.writing > 0 {
		return math.MaxInt64
	}
	return max(0, d-now.Sub(t.lastWrite))
}

// Quiet waits until no write has arrived or been under way for d, [Options.Background] excepted. Reads and open
// watches do not disturb it, nor do the d have to begin with the call: it returns at once if they have passed.
// It returns the error of ctx if that is done first.
func (p *Proxy) Quiet(ctx context.Context, d time.Duration) error {
	for {
		p.mu.Lock()
		wait, changed := p.traffic.untilQuiet(time.Now(), d), p.changed
		p.mu.Unlock()
		if wait == 0 {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
