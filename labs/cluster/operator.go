package cluster

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process"
	"example.com/twinloop/shared/process/scratch"
)

// Operator is one of the project's, built and with an identity that may work in [Namespace].
type Operator struct {
	cluster *Cluster
	launch  operator.Launch
	folder  *scratch.Folder
}

// Operator builds the operator of a name, such as handwired. It publishes nothing in DNS.
func (c *Cluster) Operator(ctx context.Context, name string) (_ *Operator, err error) {
	subject, err := operator.Find(name)
	if err != nil {
		return nil, err
	}
	folder, err := scratch.New("lab")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			folder.Remove()
		}
	}()
	o := &Operator{cluster: c, folder: folder, launch: operator.Launch{
		Binary:     filepath.Join(folder.Path, name),
		Kubeconfig: filepath.Join(folder.Path, "kubeconfig"),
		Namespace:  Namespace,
	}}
	if err := subject.Build(ctx, o.launch.Binary); err != nil {
		return nil, err
	}
	identity, err := subject.Install(ctx, c.Kube)
	if err != nil {
		return nil, err
	}
	if err := identity.Bind(ctx, c.Kube, Namespace); err != nil {
		return nil, err
	}
	kubeconfig, err := c.Kubeconfig(ctx, controlplane.Access{
		ServiceAccount: identity.Account, Namespace: Namespace, Server: c.Proxy.URL(), CA: c.Proxy.CA(),
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(o.launch.Kubeconfig, kubeconfig, 0o600); err != nil {
		return nil, err
	}
	c.stops = append(c.stops, o.Remove)
	return o, nil
}

// Start starts a process of the operator, by way of the proxy. What it prints goes to log.
func (o *Operator) Start(log io.Writer, args ...string) (*process.Process, error) {
	launch := o.launch
	launch.Log, launch.Args = log, args
	return launch.Start()
}

// Remove removes what was built.
func (o *Operator) Remove() { o.folder.Remove() }
