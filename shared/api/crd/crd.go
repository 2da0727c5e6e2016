// Package crd holds the CustomResourceDefinition of Fleet, as controller-gen writes it.
package crd

import (
	_ "embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed fleet.twinloop.example.com_fleets.yaml
var fleets []byte

// Fleet returns a new copy of the CustomResourceDefinition of Fleet.
func Fleet() *apiextensionsv1.CustomResourceDefinition {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(fleets, definition); err != nil {
		panic(fmt.Sprintf("the embedded manifest of Fleet is not a CustomResourceDefinition: %v", err))
	}
	return definition
}
