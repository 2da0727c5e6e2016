// Package cluster gives an experiment a Kubernetes cluster of its own, with a proxy in front of it that sees and can distort
// what its clients do, and the hand-wired operator to run on it.
package cluster

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// Namespace is where experiments take place.
const Namespace = "lab"

// Cluster is a running one. Kube and Fleets lead straight to its API server, as the administrator.
type Cluster struct {
	*controlplane.ControlPlane
	Kube   kubernetes.Interface
	Fleets versioned.Interface
	// Proxy stands in front of the API server, for the clients under experiment: see [Cluster.ProxyConfig].
	Proxy *proxy.Proxy

	stops []func() // of what was started on it
}

// Options say what runs beside the API server. The zero value is nothing.
type Options struct {
	// Controllers are those of kube-controller-manager, such as [controlplane.Housekeeping].
	Controllers []string
	// Kubelet runs pods, in appearance; nil leaves them pending.
	Kubelet *kubelet.Options
}

// Start starts a cluster that serves Fleets and has an empty [Namespace].
func Start(ctx context.Context, bench *lab.Bench, opts Options) (_ *Cluster, err error) {
	bench.Say("Starting etcd, kube-apiserver and what else is needed.")
	started, err := controlplane.Start(ctx, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: opts.Controllers,
		Kubelet:     opts.Kubelet,
		Progress:    bench,
	})
	if err != nil {
		return nil, err
	}
	c := &Cluster{ControlPlane: started}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	if c.Kube, err = kubernetes.NewForConfig(c.AdminConfig()); err != nil {
		return nil, err
	}
	if c.Fleets, err = versioned.NewForConfig(c.AdminConfig()); err != nil {
		return nil, err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if _, err = c.Kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	upstream, err := url.Parse(c.URL)
	if err != nil {
		return nil, err
	}
	c.Proxy, err = proxy.New(upstream, c.CA, proxy.Options{ReadFrames: true})
	if err != nil {
		return nil, fmt.Errorf("the proxy in front of the API server: %w", err)
	}
	return c, nil
}

// ProxyConfig is the administrator's configuration, by way of the proxy.
func (c *Cluster) ProxyConfig() *rest.Config {
	config := c.AdminConfig()
	config.Host = c.Proxy.URL()
	config.CAData = c.Proxy.CA()
	return config
}

// Stop stops everything: first, in reverse order, what its methods started or built. Other clients under experiment are to be
// stopped before.
func (c *Cluster) Stop() {
	for _, stop := range slices.Backward(c.stops) {
		stop()
	}
	if c.Proxy != nil {
		c.Proxy.Close()
	}
	c.ControlPlane.Stop()
}
