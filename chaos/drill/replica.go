package drill

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process"
)

// replica is one process of the operator, and what only it knows: a proxy, and a DNS server.
type replica struct {
	number     int // from 1
	proxy      *proxy.Proxy
	dns        *tap
	kubeconfig string
	log        *output

	mu      sync.Mutex
	process *process.Process
	lives   []*life       // of all its processes
	cutOff  bool          // it cannot write, so that nobody waits for it to rest
	delayed []proxy.Place // the requests that are sent on later
	rewatch rewatch
}

// newReplica prepares a replica, which shares its zone with another one, if there is one.
func (a *arena) newReplica(ctx context.Context, namespace string, number int, beside *replica) (_ *replica, err error) {
	r := &replica{number: number, log: &output{}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	upstream, err := url.Parse(a.controlPlane.URL)
	if err != nil {
		return nil, err
	}
	if r.proxy, err = proxy.New(upstream, a.controlPlane.CA, proxy.Options{Background: isLeaderLock, ReadFrames: true}); err != nil {
		return nil, err
	}
	var zone *tap
	if beside != nil {
		zone = beside.dns
	}
	if r.dns, err = newTap(number, a.definition.Zone, zone); err != nil {
		return nil, err
	}
	kubeconfig, err := a.controlPlane.Kubeconfig(ctx, a.subject.access(r.proxy.URL(), r.proxy.CA(), namespace))
	if err != nil {
		return nil, err
	}
	r.kubeconfig = filepath.Join(a.kubeconfigs.Path, fmt.Sprintf("%s-%d.kubeconfig", namespace, number))
	return r, os.WriteFile(r.kubeconfig, kubeconfig, 0o600)
}

// isLeaderLock picks out the writes that go on for ever.
func isLeaderLock(r proxy.Request) bool { return r.LeaderLock }

func (r *replica) start(command operator.Command, s operator.Situation) error {
	s.Kubeconfig, s.DNSServer, s.Log = r.kubeconfig, r.dns.address(), r.log
	started, err := command.Start(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.process, r.lives = started, append(r.lives, newLife(r.number, started))
	return nil
}

// processes are the lives of all its processes.
func (r *replica) processes() []ProcessRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []ProcessRecord
	for _, life := range r.lives {
		all = append(all, life.sofar())
	}
	return all
}

// signalled notes a signal to the process that was started last.
func (r *replica) signalled(s Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := &r.lives[len(r.lives)-1].record
	last.Signals = append(last.Signals, SignalRecord{s, time.Now()})
}

// exited is closed when the process that was started last has ended.
func (r *replica) exited() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process.Exited()
}

// howEnded says with what the process that was started last ended, once it has.
func (r *replica) howEnded() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.process.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// lastStarted is when the process that was started last was.
func (r *replica) lastStarted() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lives[len(r.lives)-1].record.Started
}

// running is the process, or nil if it was never started or has ended.
func (r *replica) running() *process.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process == nil {
		return nil
	}
	select {
	case <-r.process.Exited():
		return nil
	default:
		return r.process
	}
}

// kill ends the process with SIGKILL and returns when it is known to be dead.
func (r *replica) kill() {
	if p := r.running(); p != nil {
		p.Kill()
	}
}

func (r *replica) close() {
	r.kill()
	if r.proxy != nil {
		r.proxy.Close()
	}
	if r.dns != nil {
		r.dns.stop()
	}
}
