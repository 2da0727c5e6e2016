package proxy

import (
	"context"
	"time"
)

// conditions are what stands in the way of an operator until further notice, guarded by Proxy.mu. Each verb that sets
// one has a file of its own. A request asks for leave where it enters and leaves the proxy ([Call.roundTrip]) and where it
// is forwarded ([Call.Forward]), an open watch for each of its events ([stream]).
type conditions struct {
	held, skipped map[Watched]struct{}
	expiry        expiry
	lag           *lag // nil without
	partition     Part // 0 without
	delays        map[Place]time.Duration
	changed       chan struct{} // closed and replaced whenever one of them changes
}

func newConditions() conditions {
	return conditions{
		held:    map[Watched]struct{}{},
		skipped: map[Watched]struct{}{},
		expiry:  newExpiry(),
		delays:  map[Place]time.Duration{},
		changed: make(chan struct{}),
	}
}

// holds tells whether the events of an object are held; without a name, whether all of the resource's are.
func (c *conditions) holds(resource, name string) bool { return anyCovers(c.held, resource, name) }

// skips tells whether the changes of an object are left out.
func (c *conditions) skips(resource, name string) bool { return anyCovers(c.skipped, resource, name) }

// change makes a change to the conditions and has whoever waits for one look again.
func (p *Proxy) change(apply func(*conditions)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	apply(&p.conditions)
	p.conditions.announce()
}

func (c *conditions) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// until waits until the conditions are as clear, which is asked under the lock, wants them. For an operator whose life
// has ended they never are. It returns ErrDropped if ctx is done first, or the dead buried.
func (c *Call) until(ctx context.Context, clear func(*conditions) bool) error {
	for {
		c.proxy.mu.Lock()
		ok, changed := !c.life.ended && clear(&c.proxy.conditions), c.proxy.conditions.changed
		c.proxy.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ErrDropped
		case <-c.life.buried:
			return ErrDropped
		}
	}
}
