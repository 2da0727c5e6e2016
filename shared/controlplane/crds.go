package controlplane

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// installCRDs creates the definitions and returns when discovery lists every version they serve: from then on
// their objects can be created, and a garbage collector that starts will watch them.
func installCRDs(ctx context.Context, config *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	if len(crds) == 0 {
		return nil
	}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, crd := range crds {
		_, err := client.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, crd, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("install the definition %s: %w", crd.Name, err)
		}
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		return discoverable(client.Discovery(), crds), nil
	})
	if err != nil {
		return fmt.Errorf("while waiting for the definitions to be served: %w", context.Cause(ctx))
	}
	return nil
}

func discoverable(client discovery.DiscoveryInterface, crds []*apiextensionsv1.CustomResourceDefinition) bool {
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return false
	}
	served := map[schema.GroupVersionResource]bool{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return false
		}
		for _, resource := range list.APIResources {
			served[version.WithResource(resource.Name)] = true
		}
	}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			resource := schema.GroupVersionResource{
				Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural}
			if version.Served && !served[resource] {
				return false
			}
		}
	}
	return true
}
