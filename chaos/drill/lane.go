package drill

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/operator"
)

// lane is the surroundings of one run: a namespace of its own, and the replicas of the operator.
type lane struct {
	arena     *arena
	namespace string
	electing  bool
	replicas  []*replica
}

// openLane prepares a namespace and its surroundings. The operator is not started yet.
func (a *arena) openLane(ctx context.Context, namespace string, replicas int, electing bool) (_ *lane, err error) {
	l := &lane{arena: a, namespace: namespace, electing: electing}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := a.kube.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if err := a.bind(ctx, namespace); err != nil {
		return nil, err
	}
	var first *replica
	for i := range replicas {
		r, err := a.newReplica(ctx, namespace, i+1, first)
		if err != nil {
			return nil, err
		}
		l.replicas = append(l.replicas, r)
		first = l.replicas[0]
	}
	return l, nil
}

func (l *lane) close() {
	for _, r := range l.replicas {
		r.close()
	}
}

// bind lets the operator do what its roles say: in the namespace of a run, or in all of them if that is what it works in.
func (a *arena) bind(ctx context.Context, namespace string) error {
	if a.subject.ClusterWide {
		return a.subject.Identity.BindEverywhere(ctx, a.kube)
	}
	return a.subject.Identity.Bind(ctx, a.kube, namespace)
}

// start starts a replica.
func (l *lane) start(r *replica) error {
	return r.start(l.arena.subject.Command, operator.Situation{
		Namespace: l.namespace, Electing: l.electing,
	})
}

// mark begins a step of the scenario.
func (l *lane) mark(step string) {
	for _, r := range l.replicas {
		r.proxy.Mark(step)
		r.dns.mark(step)
	}
}

// records are what the zone holds.
func (l *lane) records() []any { return l.replicas[0].dns.records() }

// updates are the DNS updates of all replicas.
func (l *lane) updates() []Update {
	var all []Update
	for _, r := range l.replicas {
		all = append(all, r.dns.all()...)
	}
	return all
}

// now is what expressions see, as far as the observer has seen it.
func (l *lane) now() (view, <-chan struct{}) {
	objects, changed := l.arena.observer.now(l.namespace)
	return view{objects: objects, kinds: l.arena.observer.kinds(), records: l.records()}, changed
}

// read is what expressions see, asked of the API server and the zone at this moment.
func (l *lane) read(ctx context.Context) (view, error) {
	objects, err := l.arena.observer.read(ctx, l.namespace)
	return view{objects: objects, kinds: l.arena.observer.kinds(), records: l.records()}, err
}

// await waits until a condition holds.
func (l *lane) await(ctx context.Context, holds func(view) error) error {
	for {
		something, stop := l.changes()
		seen, changed := l.now()
		failure := holds(seen)
		if failure == nil {
			stop()
			return nil
		}
		select {
		case <-changed:
		case <-something:
		case <-ctx.Done():
		}
		stop()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), failure)
		}
	}
}

// leader is the replica that holds the Lease, or held it last; 0 for none.
func (l *lane) leader() int {
	all := leaders(l.exchanges())
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// ended says with what the replicas' processes ended by themselves.
func (l *lane) ended() error {
	var how []string
	for _, r := range l.replicas {
		how = append(how, r.howEnded())
	}
	return fmt.Errorf("%w (%s)", errEnded, strings.Join(how, ", "))
}

// mute reports whether no process that was started last has sent a request.
func (l *lane) mute() bool {
	for _, r := range l.replicas {
		started := r.lastStarted()
		if slices.ContainsFunc(r.proxy.Exchanges(), func(x proxy.Exchange) bool { return x.Arrived.After(started) }) {
			return false
		}
	}
	return true
}

// processes are the lives of all processes of all replicas.
func (l *lane) processes() []ProcessRecord {
	var all []ProcessRecord
	for _, r := range l.replicas {
		all = append(all, r.processes()...)
	}
	return all
}

// exchanges are the requests of all replicas.
func (l *lane) exchanges() []Exchange {
	var all []Exchange
	for _, r := range l.replicas {
		for _, x := range r.proxy.Exchanges() {
			all = append(all, Exchange{r.number, x})
		}
	}
	return all
}

// logs are what the replicas printed, one after the other.
func (l *lane) logs() string {
	var all strings.Builder
	for _, r := range l.replicas {
		if len(l.replicas) > 1 {
			fmt.Fprintf(&all, "replica %d:\n", r.number)
		}
		all.WriteString(r.log.String())
	}
	return all.String()
}

// changes is closed when something happens that the observer does not see: a DNS update, a request of the operator, an event
// that a watch delivers to it. Stop it when it is waited for no longer.
func (l *lane) changes() (changed <-chan struct{}, stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	for _, r := range l.replicas {
		updated, passed := r.dns.changes(), r.proxy.Changes()
		go func() {
			defer stop()
			select {
			case <-updated:
			case <-passed:
			case <-ctx.Done():
			}
		}()
	}
	return ctx.Done(), stop
}
