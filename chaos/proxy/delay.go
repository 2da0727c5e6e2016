package proxy

import "time"

// Delay has every request that place covers forwarded d later than it arrives, from now on; the longest of several
// delays counts. A d of 0 ends the delay of that place, also for the requests it keeps waiting.
func (p *Proxy) Delay(place Place, d time.Duration) {
	p.change(func(c *conditions) {
		c.delays[place] = d
		if d == 0 {
			delete(c.delays, place)
		}
	})
}

// delay is how long requests at a place are kept waiting.
func (c *conditions) delay(at Place) time.Duration {
	var longest time.Duration
	for place, d := range c.delays {
		if place.Covers(at) {
			longest = max(longest, d)
		}
	}
	return longest
}

// linger waits for as long as the call is to be delayed.
func (c *Call) linger() error {
	began := time.Now()
	for {
		c.proxy.mu.Lock()
		d, changed := c.proxy.conditions.delay(c.Place), c.proxy.conditions.changed
		c.proxy.mu.Unlock()
		wait := d - time.Since(began)
		if wait <= 0 {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-changed:
		case <-c.caller.Done():
			return ErrDropped
		case <-c.life.buried:
			return ErrDropped
		}
	}
}
