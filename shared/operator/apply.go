package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// Apply applies all that is neither a definition nor about whom the operator runs as, once those are there. What is in no namespace
// by its manifest goes to the operator's own.
func (m *Manifest) Apply(ctx context.Context, config *rest.Config) error {
	if len(m.others) == 0 {
		return nil
	}
	a, err := newApplier(config, m.namespace())
	if err != nil {
		return err
	}
	for _, object := range inOrder(m.others) {
		if err := a.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// namespace returns the operator's own.
func (m *Manifest) namespace() string {
	if m.account == nil {
		return metav1.NamespaceDefault
	}
	return m.account.Namespace
}

// inOrder returns objects in an order in which they can be applied: namespaces first, and last what decides on all that comes later.
func inOrder(objects []Object) []Object {
	rank := func(o Object) int {
		kind := o.GroupVersionKind()
		switch {
		case kind.Group == "" && kind.Kind == "Namespace":
			return 0
		case kind.Group == "admissionregistration.k8s.io":
			return 2
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(objects), func(a, b Object) int { return cmp.Compare(rank(a), rank(b)) })
}

// applier applies objects to an API server.
type applier struct {
	kube      kubernetes.Interface
	dynamic   dynamic.Interface
	mapper    meta.RESTMapper
	served    []*restmapper.APIGroupResources
	namespace string // of objects without one
}

func newApplier(config *rest.Config, namespace string) (*applier, error) {
	a := &applier{namespace: namespace}
	var err error
	if a.kube, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if a.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	if a.served, err = restmapper.GetAPIGroupResources(client); err != nil {
		return nil, fmt.Errorf("asking what the API server serves: %w", err)
	}
	a.mapper = restmapper.NewDiscoveryRESTMapper(a.served)
	return a, nil
}

func (a *applier) apply(ctx context.Context, o Object) error {
	kind := o.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return o.errorf("%s", unserved(o, a.served))
	}
	if err != nil {
		return o.errorf("%w", err)
	}
	var client dynamic.ResourceInterface = a.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace := cmp.Or(o.GetNamespace(), a.namespace)
		if err := createNamespace(ctx, a.kube, namespace); err != nil {
			return o.errorf("creating namespace %s: %w", namespace, err)
		}
		client = a.dynamic.Resource(mapping.Resource).Namespace(namespace)
	}
	_, err = client.Apply(ctx, o.GetName(), o.Unstructured, metav1.ApplyOptions{FieldManager: "twinloop", Force: true})
	if err != nil {
		return o.errorf("applying: %w", err)
	}
	return nil
}

// createNamespace creates a namespace if it is not there.
func createNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return firstBut(apierrors.IsAlreadyExists, err)
}

// unserved says what to do about an object of a kind that an API server does not serve in its version.
func unserved(o Object, served []*restmapper.APIGroupResources) string {
	kind := o.GroupVersionKind()
	text := fmt.Sprintf("the API server does not serve %s of %s: ", kind.Kind, kind.GroupVersion())
	if nearest := servedVersion(kind, served); nearest != "" {
		return text + "write it in " + nearest + ", or " + leavingOut(o)
	}
	return text + "add its CustomResourceDefinition to operator.manifests, or " + leavingOut(o)
}

// servedVersion returns the API version in which a kind is served: of its own group, or of another where Kubernetes has moved it; or
// nothing.
func servedVersion(kind schema.GroupVersionKind, served []*restmapper.APIGroupResources) string {
	var nearest string
	for _, group := range served {
		own := group.Group.Name == kind.Group
		movedTo := isKubernetes(kind.Group) && isKubernetes(group.Group.Name)
		if !own && (!movedTo || nearest != "") {
			continue
		}
		for _, version := range group.Group.Versions {
			if slices.ContainsFunc(group.VersionedResources[version.Version], func(r metav1.APIResource) bool { return r.Kind == kind.Kind }) {
				nearest = version.GroupVersion
				break
			}
		}
		if own && nearest != "" {
			return nearest
		}
	}
	return nearest
}

// isKubernetes reports whether an API group is one of Kubernetes' own.
func isKubernetes(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
