package drill

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// Recording is what happened in one run of a scenario.
type Recording struct {
	Namespace string
	Began     time.Time
	Steps     []StepRecord
	// Strike is the fault, or nil when none was injected.
	Strike *Strike
	// Failure is why the scenario was not gone through to its end, or nil.
	Failure error
	// Exchanges and Updates are the operator's requests to the API server and to DNS, Events what was observed.
	Exchanges []proxy.Exchange
	Updates   []Update
	Events    []Event
	Log       string

	last view
}

// StepRecord is what happened in a step.
type StepRecord struct {
	Name           string
	Began, Settled time.Time
	// CountBefore and CountAfter are the step's count when it began and when it had settled.
	CountBefore, CountAfter int

	snapshot snapshot
}

// Strike is a fault that was injected.
type Strike struct {
	Step  string
	Fault Fault
	// At is when it was: of one that kills, when the operator was dead. Recovered is when the step that was struck had
	// settled after all.
	At, Recovered time.Time
	// Restarted is when the successor of an operator that was killed was started. Count is the step's count after the
	// death, when nothing was under way any more.
	Restarted time.Time
	Count     int

	left view // what there was then
}

// runner takes an operator through a scenario.
type runner struct {
	*lane
	point  *Point
	record *Recording
	struck chan struct{} // closed when the operator has been killed
	dying  atomic.Bool   // set before that
	// survived is when a fault was injected that kills nobody.
	survived atomic.Pointer[time.Time]
}

// run takes the operator through the scenario in a namespace of its own, and injects a fault at the point if one is
// given. The error is that the run could not take place; what the operator made of it is in the recording.
func (a *arena) run(ctx context.Context, namespace string, point *Point) (*Recording, error) {
	l, err := a.openLane(ctx, namespace)
	if err != nil {
		return nil, fmt.Errorf("preparing namespace %s: %w", namespace, err)
	}
	defer l.close()
	defer a.observer.forget(namespace)

	r := &runner{
		lane: l, point: point, struck: make(chan struct{}),
		record: &Recording{Namespace: namespace, Began: time.Now()},
	}
	r.arm()
	ended, err := l.start()
	if err != nil {
		return nil, err
	}
	for _, step := range a.definition.Scenario {
		if ended, err = r.take(ctx, step, ended); err != nil {
			r.record.Failure = fmt.Errorf("%s: %w", step.Name, err)
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.record.last, err = l.read(ctx)
	r.record.Exchanges = l.proxy.Exchanges()
	r.record.Updates = l.dns.all()
	r.record.Events = a.observer.events(namespace)
	r.record.Log = l.log.String()
	return r.record, err
}

// take goes through one step. It returns the channel that is closed when the operator that is running at its end ends.
func (r *runner) take(ctx context.Context, step Step, ended <-chan struct{}) (<-chan struct{}, error) {
	r.mark(step.Name)
	before, _ := r.now()
	record := StepRecord{Name: step.Name, Began: time.Now(), CountBefore: r.count(step, before)}
	if err := r.act(ctx, step); err != nil {
		return nil, err
	}
	err := r.settleStep(ctx, step, ended)
	if errors.Is(err, errStruck) {
		if ended, err = r.recover(ctx, step); err == nil {
			err = r.settleStep(ctx, step, ended)
		}
		if err == nil {
			r.record.Strike.Recovered = time.Now()
		}
	}
	if err != nil {
		return nil, err
	}
	if at := r.survived.Load(); at != nil && r.record.Strike == nil {
		r.record.Strike = &Strike{Step: step.Name, Fault: r.point.Fault, At: *at, Recovered: time.Now()}
	}
	after, _ := r.now()
	record.Settled, record.CountAfter = time.Now(), r.count(step, after)
	record.snapshot = takeSnapshot(r.namespace, after)
	r.record.Steps = append(r.record.Steps, record)
	return ended, nil
}

var (
	errStruck = errors.New("the operator was killed")
	errEnded  = errors.New("the operator's process ended by itself")
)

// settleStep waits for the effect of a step. It fails with errStruck when the operator is killed meanwhile.
func (r *runner) settleStep(ctx context.Context, step Step, ended <-chan struct{}) error {
	timeout := r.arena.definition.Timeout.Duration
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not settled after %s", timeout))
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	struck := r.struck
	if r.record.Strike != nil {
		struck = nil // it has been dealt with
	}
	go func() {
		select {
		case <-struck:
			interrupt(errStruck)
		case <-ended:
			if struck == nil || !r.dying.Load() {
				interrupt(errEnded)
				return
			}
			<-struck
			interrupt(errStruck)
		case <-ctx.Done():
		}
	}()
	return r.settle(ctx, func(v view) error {
		holds, err := r.arena.expressions.scope(v).truth(r.arena.expressions.await[step.Name])
		if err != nil {
			return fmt.Errorf("await cannot be evaluated: %w", err)
		}
		if !holds {
			return errors.New("what the step awaits is not true")
		}
		return nil
	})
}

// count is how far a step has come; 0 where that cannot be told.
func (r *runner) count(step Step, v view) int {
	program, ok := r.arena.expressions.count[step.Name]
	if !ok {
		return 0
	}
	n, _ := r.arena.expressions.scope(v).integer(program)
	return n
}

// arm puts the fault in place.
func (r *runner) arm() {
	if r.point == nil {
		return
	}
	if r.point.Kind == updateKind(r.arena.definition.Zone) {
		r.dns.arm(r.strikesUpdate)
		return
	}
	r.proxy.Intercept(r.interceptor())
}

func (r *runner) interceptor() proxy.Interceptor {
	switch place := r.point.Place; r.point.Fault {
	case Before:
		return proxy.KillBefore(place, r.strike)
	case After:
		return proxy.KillAfter(place, r.strike)
	case Drop:
		return proxy.Drop(place, r.survive)
	case Cut:
		return proxy.Cut(place, r.survive)
	default:
		return proxy.Refuse(place, r.point.Fault.status(), r.survive)
	}
}

// strikesUpdate strikes a DNS update that the point covers, and leaves it without an answer.
func (r *runner) strikesUpdate(update Update, done bool) bool {
	if !r.point.Covers(update.Place) || done != (r.point.Fault == After || r.point.Fault == Cut) {
		return false
	}
	if !r.point.Fault.kills() {
		r.survive()
		return true
	}
	if !r.proxy.Freeze() {
		return false
	}
	r.strike()
	return true
}

// survive notes a fault that kills nobody.
func (r *runner) survive() {
	now := time.Now()
	r.survived.Store(&now)
}

// strike kills the operator. When it returns the operator is dead, and nothing of it reaches anybody any more.
func (r *runner) strike() {
	r.dying.Store(true)
	r.dns.freeze()
	r.kill()
	close(r.struck)
}

// recover sees what the dead operator left, and starts its successor.
func (r *runner) recover(ctx context.Context, step Step) (ended <-chan struct{}, err error) {
	strike := &Strike{Step: step.Name, Fault: r.point.Fault, At: time.Now()}
	r.record.Strike = strike
	if err := r.proxy.Quiesce(ctx); err != nil {
		return nil, err
	}
	left, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	strike.left, strike.Count = left, r.count(step, left)
	r.proxy.Intercept(nil)
	r.dns.arm(nil)
	r.proxy.Thaw()
	r.dns.thaw()
	strike.Restarted = time.Now()
	return r.start()
}
