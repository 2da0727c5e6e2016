package proxy

import (
	"context"
	"maps"
	"slices"
	"time"
)

// journal is what the proxy has seen since it was made, guarded by Proxy.mu.
type journal struct {
	step        string
	arrived     map[Kind]int // since step began
	exchanges   []*Exchange
	watchEvents []WatchEvent
}

func newJournal() journal {
	return journal{arrived: map[Kind]int{}}
}

// Mark begins a step of the scenario: ordinals and counts start again, and places bear its name, which must not
// contain ": ".
func (p *Proxy) Mark(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.journal.step = step
	clear(p.journal.arrived)
}

// Counts is how many requests of each kind have arrived since the last Mark, reads and background writes included.
func (p *Proxy) Counts() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.journal.arrived)
}

// Exchanges are all requests so far in order of arrival, those under way included, each as it stands now.
func (p *Proxy) Exchanges() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	exchanges := make([]Exchange, len(p.journal.exchanges))
	for i, x := range p.journal.exchanges {
		exchanges[i] = *x
	}
	return exchanges
}

// WatchEvents are the watch events that have passed so far, in order, if [Options.ReadFrames] was asked for.
func (p *Proxy) WatchEvents() []WatchEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.journal.watchEvents)
}

// arrive gives a request its place and enters it in the journal.
func (p *Proxy) arrive(request Request, caller context.Context) *Call {
	work := request.IsWrite() && (p.options.Background == nil || !p.options.Background(request))
	life := caller.Value(lifeKey{}).(*life)

	p.mu.Lock()
	defer p.mu.Unlock()
	place := Place{Step: p.journal.step, Kind: request.Kind()}
	if !life.ended {
		p.journal.arrived[place.Kind]++
		place.Ordinal = p.journal.arrived[place.Kind]
	}
	exchange := &Exchange{Request: request, Place: place, Arrived: time.Now()}
	p.journal.exchanges = append(p.journal.exchanges, exchange)
	p.traffic.arrived(work, exchange.Arrived)
	p.announce()
	call := &Call{
		Request: request, Place: place,
		proxy: p, life: life, caller: caller, exchange: exchange, work: work,
	}
	call.cutOff(&p.conditions)
	return call
}

// depart notes that the call is about to be forwarded, or reports false if its operator's life has ended.
func (c *Call) depart() bool {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	if c.life.ended {
		return false
	}
	c.exchange.Forwarded = true
	if c.IsWrite() {
		c.proxy.traffic.unanswered++
	}
	return true
}

// settle notes the API server's answer, or that there is none to come, and reports whether the operator lives to
// hear it.
func (c *Call) settle(result outcome) bool {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	if result.status != 0 {
		c.exchange.Status = result.status
		c.exchange.Answered = time.Now()
	}
	if c.Verb == "create" && result.object.Name != "" {
		c.exchange.Name, c.exchange.UID = result.object.Name, result.object.UID
	}
	if c.mayBeLeaderLock() && HasLeaderRecord(&result.object) {
		c.LeaderLock, c.exchange.LeaderLock = true, true
		c.proxy.leaderLocks.Insert(c.exchange.lockKey())
	}
	if c.IsWrite() {
		c.proxy.traffic.unanswered--
		c.proxy.announce()
	}
	c.cutOff(&c.proxy.conditions)
	return !c.life.ended
}

// leave notes the end of the call.
func (p *Proxy) leave(call *Call, delivered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call.exchange.Finished = time.Now()
	call.exchange.Delivered = delivered
	p.traffic.left(call.work, call.exchange.Finished)
	p.announce()
}
