package drill

import (
	"context"
	"sync"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/zone/server"
)

// Update is a DNS update that an operator sent, and what became of it.
type Update struct {
	Replica  int
	Place    proxy.Place
	Text     string
	Arrived  time.Time
	Answered time.Time
	Applied  bool
	Rcode    string
}

// tap stands before a zone's server as the proxy stands before the API server: a DNS update is a write like any other.
// Each replica has one of its own, all for the same zone. For a drill without a zone there is no server, and nothing ever
// happens.
type tap struct {
	replica int
	zone    string
	server  *server.Server // nil without a zone

	mu      sync.Mutex
	step    string
	arrived int
	frozen  bool
	failing bool
	writing int
	last    time.Time
	updates []*Update
	fault   func(update Update, done bool) (struck bool)
	changed chan struct{} // closed and replaced at every update
}

// newTap starts a server for the zone of another tap, or, without one, for a new zone.
func newTap(replica int, zoneName string, beside *tap) (*tap, error) {
	t := &tap{replica: replica, zone: zoneName, last: time.Now(), changed: make(chan struct{})}
	switch {
	case zoneName == "":
		return t, nil
	case beside != nil:
		t.server = beside.server.Sibling("", t.intercept)
	default:
		var err error
		if t.server, err = server.New(server.Config{Zones: []string{zoneName}, Intercept: t.intercept}); err != nil {
			return nil, err
		}
	}
	return t, t.server.Start()
}

func (t *tap) stop() {
	if t.server != nil {
		t.server.Stop()
	}
}

// address is the server's host:port, empty without one.
func (t *tap) address() string {
	if t.server == nil {
		return ""
	}
	return t.server.Addr()
}

// records are what the zone holds, as expressions see it.
func (t *tap) records() []any {
	if t.server == nil {
		return []any{}
	}
	return recordsOf(t.server.Entries(t.zone))
}

func updateKind(zoneName string) proxy.Kind { return proxy.Kind("UPDATE " + zoneName) }

func (t *tap) intercept(_ context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
	update, fault := t.arrive(u)
	if update == nil {
		return server.NoAnswer
	}
	defer t.leave()
	if fault != nil && fault(*update, false) {
		return server.NoAnswer
	}
	if t.fails() {
		t.record(update, dns.RcodeServerFailure)
		return dns.RcodeServerFailure
	}
	rcode := apply()
	t.record(update, rcode)
	if fault != nil && fault(*update, true) {
		return server.NoAnswer
	}
	return rcode
}

func (t *tap) fails() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failing
}

func (t *tap) arrive(u server.Update) (*Update, func(Update, bool) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frozen {
		return nil, nil
	}
	t.arrived++
	t.writing++
	update := &Update{
		Replica: t.replica,
		Place:   proxy.Place{Step: t.step, Kind: updateKind(t.zone), Ordinal: t.arrived},
		Text:    u.String(),
		Arrived: time.Now(),
	}
	t.updates = append(t.updates, update)
	return update, t.fault
}

func (t *tap) record(update *Update, rcode server.Rcode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	update.Applied, update.Rcode, update.Answered = rcode == 0, rcode.String(), time.Now()
}

func (t *tap) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing--
	t.last = time.Now()
	close(t.changed)
	t.changed = make(chan struct{})
}

// mark begins a step: ordinals start again.
func (t *tap) mark(step string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step, t.arrived = step, 0
}

// arm has every update go by a fault, before and after it is done, which says whether it struck: it is not answered then.
// Nil clears it.
func (t *tap) arm(fault func(update Update, done bool) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = fault
}

// freeze leaves the updates of a dying operator unheard; thaw lets its successor's in.
func (t *tap) freeze() { t.setFrozen(true) }
func (t *tap) thaw()   { t.setFrozen(false) }

func (t *tap) setFrozen(frozen bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.frozen = frozen
}

// set has the server do what a disturbance says. One that is down and comes up again is where it was, with what the zone
// holds.
func (t *tap) set(state string) error {
	if t.server == nil {
		return nil
	}
	t.mu.Lock()
	t.failing = state == dnsFailing
	t.mu.Unlock()
	if state == dnsDown {
		t.server.Stop()
		return nil
	}
	return t.server.Start()
}

// changes is closed when the next update has been dealt with.
func (t *tap) changes() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// rest waits until there has been no update for d.
func (t *tap) rest(ctx context.Context, d time.Duration) error {
	for {
		t.mu.Lock()
		wait, writing, changed := d-time.Since(t.last), t.writing > 0, t.changed
		t.mu.Unlock()
		if !writing && wait <= 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(max(wait, time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// all are the updates so far.
func (t *tap) all() []Update {
	t.mu.Lock()
	defer t.mu.Unlock()
	var updates []Update
	for _, update := range t.updates {
		updates = append(updates, *update)
	}
	return updates
}
