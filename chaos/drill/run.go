package drill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// runner takes an operator through a script.
type runner struct {
	*lane
	record *Recording
	// blows are the faults at writes that are still to be injected, the first of them armed.
	blows []Blow
	armed *armed
}

// armed is a fault on its way.
type armed struct {
	Blow
	dying atomic.Bool   // set before the operator is killed
	dead  chan struct{} // closed when it has been
	// survived is when a fault was injected that kills nobody.
	survived atomic.Pointer[time.Time]
}

// plan is what one run is to go through.
type plan struct {
	script   script
	blows    []Blow
	replicas int
	electing bool
	// listenAfter names the step after which nothing more is done but listening.
	listenAfter string
}

// run takes the operator through a plan in a namespace of its own. The error is that the run could not take place; what
// the operator made of it is in the recording.
func (a *arena) run(ctx context.Context, namespace string, p plan) (*Recording, error) {
	l, err := a.openLane(ctx, namespace, p.replicas, p.electing)
	if err != nil {
		return nil, fmt.Errorf("preparing namespace %s: %w", namespace, err)
	}
	defer a.observer.forget(namespace)
	defer l.close()

	r := &runner{lane: l, blows: p.blows, record: &Recording{Namespace: namespace, Began: time.Now()}}
	r.arm()
	for _, replica := range l.replicas {
		if err := l.start(replica); err != nil {
			return nil, err
		}
	}
	for _, step := range p.script {
		if err := r.take(ctx, step); err != nil {
			r.failed(step.Name, err)
			break
		}
		if step.Name == p.listenAfter {
			r.record.Cut = true
			if err := r.listen(ctx); err != nil {
				return nil, err
			}
			break
		}
	}
	if r.record.asked() {
		l.hear(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.disarm()
	r.record.Took = time.Since(r.record.Began)
	r.record.last, err = l.read(ctx)
	r.record.Exchanges, r.record.Updates = l.exchanges(), l.updates()
	r.record.Events = a.observer.events(namespace)
	r.record.Processes, r.record.Log = l.processes(), l.logs()
	if a.subject.ClusterWide {
		err = errors.Join(err, l.vacate(ctx))
	}
	return r.record, err
}

// failed notes why a run ends. What the scenario itself does wrong is no fault of the operator.
func (r *runner) failed(step string, err error) {
	if errors.Is(err, errScenario) {
		r.record.Broken = fmt.Errorf("%s: %w", step, err)
	}
	r.record.Failure = fmt.Errorf("%s: %w", step, err)
}

// take goes through one step.
func (r *runner) take(ctx context.Context, step scripted) error {
	r.mark(step.Name)
	before, _ := r.now()
	record := StepRecord{
		Name: step.Name, Began: time.Now(), CountBefore: r.count(step, before),
		eventsBefore: len(r.arena.observer.events(r.namespace)),
	}
	if r.electing {
		record.Leader = r.leader()
	}
	if err := r.act(ctx, step, &record); err != nil {
		return err
	}
	if err := r.settleThrough(ctx, step); err != nil {
		return err
	}
	if err := wait(ctx, step.For.Duration-time.Since(record.Began)); err != nil {
		return err
	}
	after, _ := r.now()
	record.Settled, record.CountAfter = time.Now(), r.count(step, after)
	record.snapshot = takeSnapshot(r.namespace, after, r.arena.definition.Ignore)
	record.survivors = survivorsOf(before, after)
	r.record.Steps = append(r.record.Steps, record)
	return nil
}

// settleThrough waits for the effect of a step, through all faults that strike meanwhile.
func (r *runner) settleThrough(ctx context.Context, step scripted) error {
	if step.await == nil {
		return nil
	}
	for {
		err := r.settleStep(ctx, step)
		if errors.Is(err, errStruck) {
			if err := r.recover(ctx, step); err != nil {
				return err
			}
			continue
		}
		r.noteSurvived()
		if err != nil {
			return err
		}
		if strike := r.record.lastStrike(); strike != nil && strike.Recovered.IsZero() {
			strike.Recovered = time.Now()
		}
		return nil
	}
}

// noteSurvived enters a fault that killed nobody.
func (r *runner) noteSurvived() {
	if r.armed == nil {
		return
	}
	if at := r.armed.survived.Load(); at != nil {
		r.record.Strikes = append(r.record.Strikes, &Strike{Blow: r.armed.Blow, At: *at})
		r.disarm()
	}
}

var (
	errStruck = errors.New("the operator was killed")
	errEnded  = errors.New("the operator's process ended by itself")
)

// settleStep waits for the effect of a step. It fails with errStruck when the operator is killed meanwhile.
func (r *runner) settleStep(ctx context.Context, step scripted) error {
	timeout := r.arena.definition.Timeout.Duration
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not settled after %s", timeout))
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	go r.attend(ctx, r.armed, interrupt)
	err := r.settle(ctx, step.Busy, func(v view) error {
		v.history = r.sofar()
		holds, err := r.arena.expressions.scope(v).truth(step.await)
		if err != nil {
			return rootOf("await", err)
		}
		if !holds {
			return errors.New("what the step awaits is not true")
		}
		return nil
	})
	switch {
	case err == nil && r.armed.struck():
		return errStruck // a moment ago; who is dead, rests
	case err != nil && !errors.Is(err, errStruck):
		return fmt.Errorf("%w\n%s", err, r.describe(err))
	}
	return err
}

// describe says what there is, and which variables do not hold, to whoever waited for them and was told one reason.
func (r *runner) describe(told error) string {
	seen, _ := r.now()
	seen.history = r.sofar()
	lines := slices.DeleteFunc(r.arena.expressions.amiss(seen), func(line string) bool { return strings.Contains(told.Error(), line) })
	if r.mute() {
		lines = append(lines, "the operator has sent the API server no request since it was started")
	}
	lines = append(lines, "there are:")
	return strings.Join(append(lines, describeLists(seen.objects)...), "\n")
}

// attend interrupts a wait when the operator has been killed, or has ended by itself and nobody is left. One of several
// replicas may end: whoever loses its Lease must.
func (r *runner) attend(ctx context.Context, fault *armed, interrupt context.CancelCauseFunc) {
	var dead chan struct{}
	if fault != nil {
		dead = fault.dead
	}
	for _, replica := range r.replicas {
		select {
		case <-dead:
			interrupt(errStruck)
			return
		case <-replica.exited():
			if fault.struck() {
				interrupt(errStruck)
				return
			}
		case <-ctx.Done():
			return
		}
	}
	interrupt(r.ended())
}

// count is how far a step has come; 0 where that cannot be told.
func (r *runner) count(step scripted, v view) int {
	if step.count == nil {
		return 0
	}
	n, _ := r.arena.expressions.scope(v).integer(step.count)
	return n
}

// arm puts the next fault in place.
func (r *runner) arm() {
	r.armed = nil
	if len(r.blows) == 0 {
		return
	}
	fault := &armed{Blow: r.blows[0], dead: make(chan struct{})}
	r.armed, r.blows = fault, r.blows[1:]
	if fault.Kind == updateKind(r.arena.definition.Zone) {
		r.replicas[0].dns.arm(func(update Update, done bool) bool { return r.strikesUpdate(fault, update, done) })
		return
	}
	r.replicas[0].proxy.Intercept(r.interceptor(fault))
}

// disarm ends the faults that have been injected, and those that have not.
func (r *runner) disarm() {
	r.armed = nil
	for _, replica := range r.replicas {
		replica.proxy.Intercept(nil)
		replica.dns.arm(nil)
	}
}

func (r *runner) interceptor(fault *armed) proxy.Interceptor {
	kill := func() { r.strike(fault) }
	switch fault.Fault {
	case Before:
		return proxy.KillBefore(fault.Place, kill)
	case After:
		return proxy.KillAfter(fault.Place, kill)
	case Drop:
		return proxy.Drop(fault.Place, fault.survive)
	case Cut:
		return proxy.Cut(fault.Place, fault.survive)
	default:
		return proxy.Refuse(fault.Place, fault.Fault.status(), fault.survive)
	}
}

// strikesUpdate strikes a DNS update that the fault is for, and leaves it without an answer.
func (r *runner) strikesUpdate(fault *armed, update Update, done bool) bool {
	if !fault.Covers(update.Place) || done != (fault.Fault == After || fault.Fault == Cut) {
		return false
	}
	if !fault.Fault.kills() {
		fault.survive()
		return true
	}
	if !r.replicas[0].proxy.Freeze() {
		return false
	}
	r.strike(fault)
	return true
}

// survive notes a fault that kills nobody.
func (f *armed) survive() {
	now := time.Now()
	f.survived.Store(&now)
}

// struck reports whether the operator is killed, and waits until it is dead. No fault kills nobody.
func (f *armed) struck() bool {
	if f == nil || !f.dying.Load() {
		return false
	}
	<-f.dead
	return true
}

// strike kills the operator. When it returns the operator is dead, and nothing of it reaches anybody any more.
func (r *runner) strike(fault *armed) {
	fault.dying.Store(true)
	r.replicas[0].dns.freeze()
	r.replicas[0].kill()
	close(fault.dead)
}

// recover sees what the dead operator left, and starts its successor.
func (r *runner) recover(ctx context.Context, step scripted) error {
	strike := &Strike{Blow: r.armed.Blow, At: time.Now()}
	r.record.Strikes = append(r.record.Strikes, strike)
	through := r.replicas[0].proxy
	if err := through.Quiesce(ctx); err != nil {
		return err
	}
	left, err := r.read(ctx)
	if err != nil {
		return err
	}
	strike.left, strike.Count = left, r.count(step, left)
	r.disarm()
	r.mark(step.Name + again)
	through.Thaw()
	r.replicas[0].dns.thaw()
	r.arm()
	strike.Restarted = time.Now()
	r.replicas[0].expectToWake()
	return r.start(r.replicas[0])
}

// listen waits while the operator has nothing to do.
func (r *runner) listen(ctx context.Context) error {
	r.mark(listening)
	record := StepRecord{Name: listening, Began: time.Now()}
	err := wait(ctx, r.arena.definition.Silence.Duration)
	record.Settled = time.Now()
	r.record.Steps = append(r.record.Steps, record)
	return err
}

// listening is what the time after a step is called in which nothing must happen.
const listening = "silence"

// wait lets a time pass.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sofar is what expressions see of the run while it goes on.
func (r *runner) sofar() history {
	return history{
		requests:  func() []any { return requestValues(r.record.Began, r.exchanges(), r.updates()) },
		events:    func() []any { return eventValues(r.arena.observer.events(r.namespace)) },
		delivered: r.deliveredVersions,
		leaders:   func() []int { return leaders(r.exchanges()) },
	}
}
