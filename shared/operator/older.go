package operator

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// definition returns a CustomResourceDefinition as one of v1, whichever version it is written in.
func definition(o Object) (*apiextensionsv1.CustomResourceDefinition, error) {
	switch version := o.GroupVersionKind().Version; version {
	case "v1":
		return typed[apiextensionsv1.CustomResourceDefinition](o)
	case "v1beta1":
		older, err := typed[apiextensionsv1beta1.CustomResourceDefinition](o)
		if err != nil {
			return nil, err
		}
		newer, err := upgraded(older)
		if err != nil {
			return nil, o.errorf("it cannot be converted to apiextensions.k8s.io/v1: %w: write it in that version", err)
		}
		return newer, nil
	default:
		return nil, o.errorf("its version is %s: write it in apiextensions.k8s.io/v1", version)
	}
}

var definitions = func() *runtime.Scheme {
	known := runtime.NewScheme()
	install.Install(known)
	return known
}()

// upgraded returns a definition of v1beta1 as one of v1, in which every version has a structural schema and nothing is pruned that
// was not pruned before.
func upgraded(older *apiextensionsv1beta1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	definitions.Default(older)
	hub, newer := &apiextensions.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
	if err := definitions.Convert(older, hub, nil); err != nil {
		return nil, err
	}
	if err := definitions.Convert(hub, newer, nil); err != nil {
		return nil, err
	}
	newer.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	newer.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	preserved := newer.Spec.PreserveUnknownFields
	newer.Spec.PreserveUnknownFields = false
	for i := range newer.Spec.Versions {
		version := &newer.Spec.Versions[i]
		switch {
		case !isStructural(version.Schema):
			version.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", XPreserveUnknownFields: ptr.To(true),
			}}
		case preserved:
			version.Schema = version.Schema.DeepCopy() // the versions share what was written once for all
			preserveUnknown(version.Schema.OpenAPIV3Schema)
		}
	}
	return newer, nil
}

// isStructural reports whether a schema is one that v1 takes.
func isStructural(validation *apiextensionsv1.CustomResourceValidation) bool {
	if validation == nil || validation.OpenAPIV3Schema == nil {
		return false
	}
	var hub apiextensions.JSONSchemaProps
	if err := definitions.Convert(validation.OpenAPIV3Schema, &hub, nil); err != nil {
		return false
	}
	schema, err := structural.NewStructural(&hub)
	return err == nil && len(structural.ValidateStructural(nil, schema)) == 0
}

// preserveUnknown has a schema keep the fields that it does not name, at every depth.
func preserveUnknown(schema *apiextensionsv1.JSONSchemaProps) {
	if schema.Type == "object" && schema.AdditionalProperties == nil {
		schema.XPreserveUnknownFields = ptr.To(true)
	}
	for name, property := range schema.Properties {
		preserveUnknown(&property)
		schema.Properties[name] = property
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		preserveUnknown(schema.AdditionalProperties.Schema)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		preserveUnknown(schema.Items.Schema)
	}
}
