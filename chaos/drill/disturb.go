package drill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"syscall"

	"example.com/twinloop/chaos/proxy"
)

var signals = map[Signal]syscall.Signal{
	Terminate: syscall.SIGTERM, Kill: syscall.SIGKILL, Stop: syscall.SIGSTOP, Continue: syscall.SIGCONT,
}

// disturb does what a step's disturbance says, to those replicas that it befalls, and notes which.
func (r *runner) disturb(ctx context.Context, d Disturbance, record *StepRecord) error {
	if d.count() == 0 {
		return nil
	}
	befallen, err := r.befallen(d.Replica)
	if err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	record.Disturbance = d
	for _, replica := range befallen {
		record.Befallen = append(record.Befallen, replica.number)
		if err := r.disturbReplica(ctx, replica, d); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) disturbReplica(ctx context.Context, to *replica, d Disturbance) error {
	switch through := to.proxy; {
	case d.Hold != nil:
		through.Hold(d.Hold.inProxy())
	case d.Release != nil:
		through.Release(d.Release.inProxy())
	case d.Expire != nil:
		through.Expire(d.Expire.inProxy())
	case d.Skip != nil:
		through.Skip(d.Skip.inProxy())
	case d.Resume != nil:
		through.Resume(d.Resume.inProxy())
	case d.Restart != nil:
		return r.restart(ctx, to, *d.Restart)
	case d.CatchUp:
		through.CatchUp()
	case d.Signal != "":
		return to.signal(ctx, d.Signal)
	case d.Partition != "":
		return to.cutOffFrom(d.Partition)
	case d.Refuse != nil:
		through.Intercept(proxy.Refuse(proxy.Place{Kind: d.Refuse.Requests}, d.Refuse.Status, func() {}))
	case d.Delay != nil:
		place := proxy.Place{Kind: d.Delay.Requests}
		through.Delay(place, d.Delay.By.Duration)
		to.delayed = append(to.delayed, place)
	case d.DNS != "":
		return to.dns.set(d.DNS)
	case d.Heal:
		return to.heal()
	}
	return nil
}

// cutOffFrom partitions a replica: from all there is, or from some of what the API server has.
func (r *replica) cutOffFrom(what Partition) error {
	r.cutOff = true
	r.proxy.Partition(what.inProxy())
	if what == All {
		return r.dns.set(dnsDown)
	}
	return nil
}

// heal ends partitions, refusals and delays.
func (r *replica) heal() error {
	r.proxy.Intercept(nil)
	r.proxy.Heal()
	for _, place := range r.delayed {
		r.proxy.Delay(place, 0)
	}
	r.delayed, r.cutOff = nil, false
	return r.dns.set(dnsUp)
}

// restart kills a replica and starts it again, into the past if it is to.
func (r *runner) restart(ctx context.Context, to *replica, into Restart) error {
	watches := to.openWatches()
	to.proxy.Freeze()
	to.dns.freeze()
	to.kill()
	if err := to.proxy.Quiesce(ctx); err != nil {
		return err
	}
	if into.AsOf != "" {
		version, err := r.committedBy(into.AsOf)
		if err != nil {
			return fmt.Errorf("restart: %w", err)
		}
		to.proxy.Lag(version, r.arena.observer.plurals()...)
	}
	to.proxy.Thaw()
	to.dns.thaw()
	to.expectWatches(watches, r.plan.inCase)
	return r.start(to)
}

// committedBy is the resourceVersion of the change that an earlier step made.
func (r *runner) committedBy(name string) (string, error) {
	step, ok := r.record.step(name)
	if !ok || step.changed.name == "" {
		return "", fmt.Errorf("%w: step %s changed no object", errScenario, name)
	}
	for _, event := range r.arena.observer.events(r.namespace)[step.eventsBefore:] {
		if event.Resource == step.changed.plural && event.Object.GetName() == step.changed.name {
			return event.Object.GetResourceVersion(), nil
		}
	}
	return "", fmt.Errorf("%w: the change of step %s was not observed", errScenario, name)
}

// befallen are the replicas that a disturbance befalls.
func (r *runner) befallen(on string) ([]*replica, error) {
	leads := r.leader()
	switch on {
	case "":
		return r.replicas, nil
	case leader:
		if leads == 0 {
			return nil, fmt.Errorf("%w: nobody leads", errScenario)
		}
		return r.replicas[leads-1 : leads], nil
	case standby:
		var others []*replica
		for _, replica := range r.replicas {
			if replica.number != leads {
				others = append(others, replica)
			}
		}
		return others, nil
	}
	n, err := strconv.Atoi(on)
	if err != nil || n > len(r.replicas) {
		return nil, nil // a step of the setup may be about replicas that not every case has
	}
	return r.replicas[n-1 : n], nil
}

// signal sends a signal. A process that is to end has ended when it returns.
func (r *replica) signal(ctx context.Context, s Signal) error {
	p := r.running()
	if p == nil {
		return errors.New("signal: the operator's process has ended by itself")
	}
	r.cutOff = s == Stop
	p.Signal(signals[s])
	if s != Kill {
		r.signalled(s)
		return nil
	}
	select {
	case <-p.Exited():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w Watched) inProxy() proxy.Watched { return proxy.Watched{Resource: w.Resource, Name: w.Object} }

func (p Partition) inProxy() proxy.Part {
	return map[Partition]proxy.Part{All: proxy.All, Leases: proxy.OnlyLeases, AllButLeases: proxy.AllButLeases}[p]
}

// deliveredVersions are the newest versions of the objects that the watches of the first replica have delivered, by
// plural/name.
func (l *lane) deliveredVersions() map[string]string {
	versions := map[string]string{}
	objects, _ := l.arena.observer.now(l.namespace)
	for _, plural := range slices.Sorted(maps.Keys(objects)) {
		for _, object := range objects[plural] {
			name, _ := metadataOf(object)["name"].(string)
			versions[plural+"/"+name] = l.replicas[0].proxy.Delivered(plural, name)
		}
	}
	return versions
}
