package drill

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/process/scratch"
)

// arena is what all runs of a drill share.
type arena struct {
	definition   *Definition
	expressions  *expressions
	subject      Subject
	controlPlane *controlplane.ControlPlane
	kube         kubernetes.Interface
	dynamic      dynamic.Interface
	mapper       meta.RESTMapper
	observer     *observer
	kubeconfigs  *scratch.Folder
	name         string // what the namespaces of this drill begin with
}

func newArena(ctx context.Context, d *Definition, subject Subject, c *controlplane.ControlPlane) (_ *arena, err error) {
	a := &arena{definition: d, subject: subject, controlPlane: c, name: d.Name + "-" + rand.String(4)}
	if a.expressions, err = compile(d); err != nil {
		return nil, err
	}
	config := c.AdminConfig()
	if a.kube, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if a.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	resources, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	a.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(resources))
	if a.kubeconfigs, err = scratch.New("kubeconfigs"); err != nil {
		return nil, err
	}
	if a.observer, err = observe(ctx, a.dynamic, a.mapper, d.Observe); err != nil {
		a.kubeconfigs.Remove()
		return nil, err
	}
	return a, nil
}

func (a *arena) close() {
	a.observer.close()
	a.kubeconfigs.Remove()
}
