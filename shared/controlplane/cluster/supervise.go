package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// lockPatience outlasts another command that looks whether the lock is held.
const lockPatience = time.Second

// controllers are those that a person expects of a cluster, and that do something without real nodes.
var controllers = slices.Concat(controlplane.Housekeeping, []string{
	"clusterrole-aggregation-controller", "deployment-controller", "disruption-controller",
	"endpointslice-controller", "replicaset-controller", "serviceaccount-controller", "statefulset-controller",
})

// Settings say what a cluster has beside Kubernetes.
type Settings struct {
	CRDs       []*apiextensionsv1.CustomResourceDefinition
	ReadyAfter time.Duration // of the simulated kubelet
}

// Supervise runs a cluster until ctx ends or one of its programs does. It is the other side of Up, which it answers on
// stdout with one line, empty if the cluster is ready and otherwise what went wrong, and which it needs on stdin
// until then: if stdin ends before a line has come, the command that wanted the cluster is gone.
func Supervise(ctx context.Context, name string, settings Settings) error {
	signal.Ignore(syscall.SIGPIPE) // stdout and stdin end before the supervisor does
	p, err := locate(name)
	if err != nil {
		return answered(err)
	}
	lock := p.lock()
	patience, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	if locked, _ := lock.TryLockContext(patience, 20*time.Millisecond); !locked {
		return answered(fmt.Errorf("cluster %q is being started or stopped by another command", name))
	}
	defer lock.Unlock()
	if err := p.prepare(); err != nil {
		return answered(err)
	}
	if err := p.run(ctx, settings); err != nil {
		return err // and leave the logs
	}
	return os.RemoveAll(p.dir())
}

// prepare makes an empty folder and lets stderr, where panics and client-go's logs go, be a file in it.
func (p place) prepare() error {
	if err := os.RemoveAll(p.dir()); err != nil {
		return err
	}
	if err := os.Mkdir(p.dir(), 0o700); err != nil {
		return err
	}
	log, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer log.Close()
	return unix.Dup2(int(log.Fd()), int(os.Stderr.Fd()))
}

func (p place) run(ctx context.Context, settings Settings) error {
	wanted, abandon := context.WithCancel(ctx)
	defer abandon()
	detached := make(chan struct{})
	go func() {
		if _, err := io.ReadFull(os.Stdin, make([]byte, 1)); err != nil {
			abandon()
		}
		close(detached)
	}()
	info := Info{Name: p.name, Phase: Starting, Started: time.Now(), Supervisor: os.Getpid()}
	if err := p.write(info); err != nil {
		return answer(err)
	}
	c, err := controlplane.Start(wanted, controlplane.Options{
		Dir:         p.dir(),
		CRDs:        settings.CRDs,
		Controllers: controllers,
		Kubelet:     &kubelet.Options{ReadyAfter: settings.ReadyAfter},
		Progress:    os.Stderr,
	})
	if err != nil && wanted.Err() != nil {
		return nil // stopped or abandoned, which is no failure
	}
	if err != nil {
		return answer(fmt.Errorf("%w; the logs are in %s", err, p.dir()))
	}
	defer c.Stop()
	info.Phase, info.Server = Running, c.URL
	info.Kubeconfig, info.Kubectl = p.kubeconfig(), c.Bin("kubectl")
	if info.Version, err = version(c); err != nil {
		return answer(err)
	}
	if err := p.write(info); err != nil {
		return answer(err)
	}
	_ = answer(nil)
	<-detached
	return c.Wait(wanted)
}

func version(c *controlplane.ControlPlane) (string, error) {
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return "", err
	}
	info, err := client.Discovery().ServerVersion()
	if err != nil {
		return "", err
	}
	return info.GitVersion, nil
}

// answered leaves it to Up to say what is wrong, while stderr is still the terminal on which Up says it.
func answered(err error) error {
	_ = answer(err)
	return nil
}

// answer tells Up how the start went, and returns err.
func answer(err error) error {
	line := ""
	if err != nil {
		line = strings.ReplaceAll(err.Error(), "\n", " ")
	}
	fmt.Println(line)
	return err
}
