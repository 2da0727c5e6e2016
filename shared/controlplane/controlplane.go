// Package controlplane runs a Kubernetes control plane on this machine: etcd, kube-apiserver and, where they are
// asked for, kube-controller-manager and a simulated kubelet. Tests, drills, labs and `twinloop cluster` all
// stand on it.
//
// It listens on loopback only, keeps nothing when it stops, and none of its programs outlives the process that
// started it (package process). Any number of them run side by side.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/controlplane/programs"
	"example.com/twinloop/shared/process/scratch"
)

const (
	startTimeout = 2 * time.Minute
	// stopGrace is how long each program may take to end. kube-apiserver waits for open watches; there is
	// nothing in it worth that wait.
	stopGrace = 2 * time.Second
	// attempts is how often a start is tried again because another process took a port between its choice
	// and its use.
	attempts = 3
)

// The controllers of kube-controller-manager without which objects outlive their owners and namespaces, and
// quotas are not counted. Names as in Kubernetes' cmd/kube-controller-manager/names.
var Housekeeping = []string{"garbage-collector-controller", "namespace-controller", "resourcequota-controller"}

// serving is the API server's readiness but for its own first objects, which take it the last second of a start and
// which the administrator does not need.
const serving = "/readyz?exclude=poststarthook/rbac/bootstrap-roles" +
	"&exclude=poststarthook/scheduling/bootstrap-system-priority-classes"

// Options say what to run. The zero value is an API server with etcd behind it.
type Options struct {
	// Dir holds the data, credentials and logs. What an earlier run left there is overwritten. If it is
	// empty a temporary folder is used, which Stop removes.
	Dir string
	// Port is the API server's; 0 chooses a free one.
	Port int
	// CRDs are established before kube-controller-manager starts, whose garbage collector looks for new
	// resources only every 30 s.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// Controllers are those that kube-controller-manager runs, such as Housekeeping. If there are none it is
	// not started.
	Controllers []string
	// Kubelet starts a simulated kubelet; nil leaves pods pending.
	Kubelet *kubelet.Options
	// Progress is told what is being waited for, a line at a time or as a rewritten line on a terminal.
	Progress io.Writer
}

// A ControlPlane is a running one.
type ControlPlane struct {
	// URL is the API server's.
	URL string
	// CA is the PEM certificate that the API server's is verified by.
	CA []byte
	// EtcdURL is where etcd serves, to whoever asks: its API, and the same in JSON under /v3/.
	EtcdURL string
	// Kubelet is the simulated one, or nil.
	Kubelet *kubelet.Kubelet

	dir      string
	scratch  *scratch.Folder // that is dir, or nil
	programs programs.Set
	running  []*program    // in the order they were started
	ended    chan *program // those that have ended; has room for all
	token    string        // the administrator's
}

// Start starts a control plane and returns when it is ready: the CRDs are served, the Node is there, the API server is
// ready and kube-controller-manager answers (its controllers follow within a second or two). When it returns an error,
// or ctx ends first, nothing is left running.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	set, err := programs.Ensure(ctx, opts.Progress)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		c, err := start(ctx, set, opts)
		if errors.Is(err, errPortTaken) && opts.Port == 0 && attempt < attempts {
			continue
		}
		return c, err
	}
}

func start(ctx context.Context, set programs.Set, opts Options) (_ *ControlPlane, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready after %s", startTimeout))
	defer cancel()
	c := &ControlPlane{dir: opts.Dir, programs: set, ended: make(chan *program, len(set))}
	if err := c.prepareDir(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	ports, err := choosePorts(opts.Port, 0, 0)
	if err != nil {
		return nil, err
	}
	apiPort, etcdPort, managerPort := ports[0], ports[1], ports[2]
	c.URL = fmt.Sprintf("https://127.0.0.1:%d", apiPort)
	c.EtcdURL = fmt.Sprintf("http://127.0.0.1:%d", etcdPort)
	if err := c.writeCredentials(); err != nil {
		return nil, err
	}
	if _, err := c.launch("etcd", etcdArgs(etcdPort)); err != nil {
		return nil, err
	}
	apiserver, err := c.launch("kube-apiserver", apiserverArgs(apiPort, etcdPort))
	if err != nil {
		return nil, err
	}
	if err := c.await(ctx, apiserver, c.URL+serving); err != nil {
		return nil, err
	}
	if err := installCRDs(ctx, c.AdminConfig(), opts.CRDs); err != nil {
		return nil, err
	}
	if opts.Kubelet != nil {
		if c.Kubelet, err = kubelet.Start(ctx, c.AdminConfig(), *opts.Kubelet); err != nil {
			return nil, err
		}
	}
	if err := c.await(ctx, apiserver, c.URL+"/readyz"); err != nil {
		return nil, err
	}
	if len(opts.Controllers) == 0 {
		return c, nil
	}
	manager, err := c.launch("kube-controller-manager", managerArgs(managerPort, opts.Controllers))
	if err != nil {
		return nil, err
	}
	if err := c.await(ctx, manager, fmt.Sprintf("https://127.0.0.1:%d/healthz", managerPort)); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *ControlPlane) prepareDir() (err error) {
	if c.dir == "" {
		if c.scratch, err = scratch.New("controlplane"); err == nil {
			c.dir = c.scratch.Path
		}
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the control plane's folder: %w", err)
	}
	return os.RemoveAll(filepath.Join(c.dir, etcdData))
}

// Bin is the path of one of the programs, such as kubectl.
func (c *ControlPlane) Bin(name string) string { return c.programs.Path(name) }

// Dir is the folder that holds the data, credentials and logs.
func (c *ControlPlane) Dir() string { return c.dir }

// Wait returns nil when ctx ends, or before that why one of the programs has ended, which none does by itself unless
// it has failed.
func (c *ControlPlane) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case p := <-c.ended:
		return p.failure()
	}
}

// Stop stops everything, in the reverse order of starting, and removes a temporary Dir. It takes a few seconds at
// most, however many watches are open.
func (c *ControlPlane) Stop() {
	if c.Kubelet != nil {
		c.Kubelet.Stop()
	}
	for _, p := range slices.Backward(c.running) {
		p.Stop(stopGrace)
	}
	if c.scratch != nil {
		c.scratch.Remove()
	}
}
