package proxy

import "errors"

// Hold keeps back what a lagging watch cache would not have yet, from now on and in order: the events of w on every
// watch, open or opened later, the initial events of a WatchList included; and the answers to LISTs of the resource that
// may come from the cache (those that name a resourceVersion). A LIST without resourceVersion is a consistent read,
// which no cache answers before it has caught up, and passes, as do GETs.
//
// Where w names one object, the others' events overtake its own; bookmarks, the end of a watch and answers to LISTs do
// not, for they would claim a version of which an event is still to come. This no API server does, which keeps a watch in
// order. After Release the events of different objects may come out of the order of their versions.
//
// Hold, as every verb on [Watched], panics unless [Options.ReadFrames] is set.
func (p *Proxy) Hold(w Watched) {
	p.requireFrames("Hold")
	p.change(func(c *conditions) { c.held[w] = struct{}{} })
}

// Release lets pass, in order, what Hold has kept back.
func (p *Proxy) Release(w Watched) {
	p.change(func(c *conditions) { delete(c.held, w) })
}

// errHeldExpired breaks the connection of a LIST whose answer was held and then expired.
var errHeldExpired = errors.New("the held answer has expired")

// await waits until an answer that came from the watch cache may pass.
func (c *Call) await() error {
	if !isCachedList(c.Request, c.query) {
		return nil
	}
	began, expired := c.expiries(), false
	err := c.until(c.caller, func(now *conditions) bool {
		expired = now.expiry.times[c.Resource] != began
		return expired || !touches(now.held, c.Resource)
	})
	if err == nil && expired {
		return errHeldExpired
	}
	return err
}
