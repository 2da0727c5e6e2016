package drill

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/process"
)

// lane is the surroundings of one run: a namespace of its own, a proxy and a DNS server that only its operator knows,
// and the operator's process.
type lane struct {
	arena      *arena
	namespace  string
	kubeconfig string
	proxy      *proxy.Proxy
	dns        *tap
	log        *output

	mu       sync.Mutex
	operator *process.Process
}

// openLane prepares a namespace and its surroundings. The operator is not started yet.
func (a *arena) openLane(ctx context.Context, namespace string) (_ *lane, err error) {
	l := &lane{arena: a, namespace: namespace, log: &output{}}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := a.kube.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if err := a.subject.Identity.Bind(ctx, a.kube, namespace); err != nil {
		return nil, err
	}
	upstream, err := url.Parse(a.controlPlane.URL)
	if err != nil {
		return nil, err
	}
	if l.proxy, err = proxy.New(upstream, a.controlPlane.CA, proxy.Options{Background: isLease}); err != nil {
		return nil, err
	}
	if l.dns, err = newTap(a.definition.Zone); err != nil {
		return nil, err
	}
	kubeconfig, err := a.controlPlane.Kubeconfig(ctx, a.subject.access(l.proxy.URL(), l.proxy.CA(), namespace))
	if err != nil {
		return nil, err
	}
	l.kubeconfig = filepath.Join(a.kubeconfigs.Path, namespace+".kubeconfig")
	return l, os.WriteFile(l.kubeconfig, kubeconfig, 0o600)
}

// isLease picks out the writes that go on for ever.
func isLease(r proxy.Request) bool { return r.Resource == "leases" }

func (l *lane) close() {
	l.kill()
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.dns != nil {
		l.dns.stop()
	}
}

// start starts the operator, and returns a channel that is closed when its process has ended.
func (l *lane) start() (ended <-chan struct{}, err error) {
	started, err := l.arena.subject.start(l.kubeconfig, l.namespace, l.dns.address(), l.log)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.operator = started
	return started.Exited(), nil
}

// kill ends the operator with SIGKILL and returns when it is known to be dead.
func (l *lane) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.operator != nil {
		l.operator.Kill()
	}
}

// mark begins a step of the scenario.
func (l *lane) mark(step string) {
	l.proxy.Mark(step)
	l.dns.mark(step)
}

// now is what expressions see, as far as the observer has seen it.
func (l *lane) now() (view, <-chan struct{}) {
	objects, changed := l.arena.observer.now(l.namespace)
	return view{objects: objects, records: l.dns.records()}, changed
}

// read is what expressions see, asked of the API server and the zone at this moment.
func (l *lane) read(ctx context.Context) (view, error) {
	objects, err := l.arena.observer.read(ctx, l.namespace)
	return view{objects: objects, records: l.dns.records()}, err
}

// quiet is how long after its last write an operator counts as being at rest.
const quiet = 200 * time.Millisecond

// settle waits until a condition holds and the operator has been at rest since. The error is why ctx ended, and what
// did not hold.
func (l *lane) settle(ctx context.Context, holds func(view) error) error {
	for {
		if err := l.await(ctx, holds); err != nil {
			return err
		}
		if err := l.rest(ctx); err != nil {
			return fmt.Errorf("%w: the operator goes on writing", err)
		}
		if seen, _ := l.now(); holds(seen) == nil {
			return nil
		}
	}
}

func (l *lane) await(ctx context.Context, holds func(view) error) error {
	for {
		dnsChanged := l.dns.changes()
		seen, changed := l.now()
		failure := holds(seen)
		if failure == nil {
			return nil
		}
		select {
		case <-changed:
		case <-dnsChanged:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), failure)
		}
	}
}

func (l *lane) rest(ctx context.Context) error {
	for {
		if err := l.dns.rest(ctx, quiet); err != nil {
			return context.Cause(ctx)
		}
		waited := time.Now()
		if err := l.proxy.Quiet(ctx, quiet); err != nil {
			return context.Cause(ctx)
		}
		if l.dns.restedSince(waited) {
			return nil
		}
	}
}

// output keeps what an operator prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
