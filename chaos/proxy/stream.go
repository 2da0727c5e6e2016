package proxy

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"time"
)

// A stream is a watch as its caller reads it. Each event asks the conditions for leave to pass, whenever they change,
// and waits its turn until it has it. As long as all pass, one frame is all that is held: the caller's pace is the API
// server's.
type stream struct {
	call    *Call
	arrived chan *event
	stop    context.CancelFunc
	stopped chan struct{}
	outcome error  // of the producer; set before arrived is closed
	unread  []byte // of the event that passed last

	// Guarded by Proxy.mu.
	withheld []*event // in order of arrival
	initial  bool     // the initial events of a WatchList are under way
	end      error    // what comes after the withheld events: nil, more of them
	expired  bool     // these have leave to pass
	shown    bool     // the caller has the first state: a WatchList's initial events have passed, or a LIST came before
	passed   string   // the version of the event that passed last
}

// stream is the body of the answer to a watch: what produce emits, until it returns. The context is done, and emit
// reports false, when nobody listens any more.
func (c *Call) stream(produce func(ctx context.Context, emit func(frame []byte) bool) error) *stream {
	ctx, cancel := context.WithCancel(c.caller)
	watchList := isWatchList(c.Request, c.query)
	s := &stream{
		call: c, initial: watchList, shown: !watchList,
		arrived: make(chan *event), stop: cancel, stopped: make(chan struct{}),
	}
	c.proxy.mu.Lock()
	c.proxy.streams[s] = struct{}{}
	c.proxy.mu.Unlock()
	go func() {
		defer close(s.stopped)
		defer close(s.arrived)
		s.outcome = produce(ctx, func(frame []byte) bool {
			select {
			case s.arrived <- parseEvent(frame):
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return s
}

// relay produces what the API server sends.
func relay(body io.ReadCloser) func(context.Context, func([]byte) bool) error {
	return func(ctx context.Context, emit func([]byte) bool) error {
		defer context.AfterFunc(ctx, func() { body.Close() })()
		defer body.Close()
		frames := scanFrames(body)
		for frames.Scan() {
			if !emit(bytes.Clone(frames.Bytes())) {
				return ctx.Err()
			}
		}
		return frames.Err()
	}
}

func (s *stream) Read(b []byte) (int, error) {
	for len(s.unread) == 0 {
		e, changed, end := s.next()
		switch {
		case e != nil:
			s.unread = e.frame
			continue
		case end != nil:
			return 0, end
		}
		select {
		case e, ok := <-s.source():
			s.receive(e, ok)
		case <-changed:
		case <-s.call.caller.Done():
			return 0, s.call.caller.Err()
		}
	}
	n := copy(b, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}

// source is where events come from; nil when no more will.
func (s *stream) source() <-chan *event {
	s.call.proxy.mu.Lock()
	defer s.call.proxy.mu.Unlock()
	if s.end != nil {
		return nil
	}
	return s.arrived
}

// receive puts an event in line, or notes that there are no more.
func (s *stream) receive(e *event, ok bool) {
	p := s.call.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case s.end != nil: // expired meanwhile
	case !ok:
		s.end = cmp.Or(s.outcome, io.EOF)
	default:
		e.initial = s.initial
		s.initial = s.initial && !e.endOfInitial
		s.withheld = append(s.withheld, e)
		p.conditions.expiry.saw(s.call.Resource, e.ResourceVersion)
	}
}

// next takes the event whose turn it is and notes that it has passed. Without one, it tells where to wait for the
// conditions to change, and of the watch's end, if that has come.
func (s *stream) next() (e *event, changed <-chan struct{}, end error) {
	p := s.call.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	conditions := &p.conditions
	switch i := s.turn(conditions); {
	case conditions.partition.cuts(s.call.Request):
		return nil, conditions.changed, nil
	case i >= 0:
		e = s.withheld[i]
		s.withheld = slices.Delete(s.withheld, i, i+1)
		s.pass(e)
		return e, nil, nil
	case len(s.withheld) > 0 || !s.expired && conditions.holds(s.call.Resource, ""):
		return nil, conditions.changed, nil
	default:
		return nil, conditions.changed, s.end
	}
}

// turn is the first event in line with leave to pass, -1 if none has. Events of the objects let through overtake the
// others'; what is about the whole watch overtakes nothing.
func (s *stream) turn(c *conditions) int {
	for i, e := range s.withheld {
		switch {
		case s.expired:
			return i
		case e.isState() && !c.holds(s.call.Resource, e.Name) && !(e.isChange() && c.skips(s.call.Resource, e.Name)):
			return i
		case !e.isState() && i == 0 && !c.holds(s.call.Resource, ""):
			return i
		}
	}
	return -1
}

// pass enters an event in the journal. The caller holds the lock.
func (s *stream) pass(e *event) {
	if e.Type == "" {
		return
	}
	e.Watch, e.Time = s.call.Place, time.Now()
	s.call.proxy.journal.watchEvents = append(s.call.proxy.journal.watchEvents, e.WatchEvent)
	if e.ResourceVersion != "" {
		s.passed = e.ResourceVersion
	}
	s.shown = s.shown || e.endOfInitial
	if e.isState() {
		s.call.life.deliver(Watched{s.call.Resource, e.Name}, e.ResourceVersion)
	}
	s.call.proxy.announce()
}

// expire ends the watch with an error, in place of what is withheld. The caller holds the lock.
func (s *stream) expire() {
	s.withheld = []*event{parseEvent(expiredFrame(s.call.Resource))}
	s.end, s.expired = io.EOF, true
	s.stop()
}

// Close ends the watch on the API server's side, and waits until it has.
func (s *stream) Close() error {
	p := s.call.proxy
	p.mu.Lock()
	delete(p.streams, s)
	if len(s.withheld) > 0 && older(s.withheld[0].ResourceVersion, s.passed) {
		p.conditions.expiry.torn[s.call.Path] = s.withheld[0].ResourceVersion
	}
	p.mu.Unlock()
	s.stop()
	<-s.stopped
	return nil
}
