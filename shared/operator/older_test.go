package operator

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// things is a definition of v1beta1, with something more in its spec.
func things(spec string) string {
	return `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
` + spec
}

func TestOlderDefinition(t *testing.T) {
	const typed = "  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}\n"
	const typeless = "  validation: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: integer}}}}}}\n"
	type schema = *apiextensionsv1.JSONSchemaProps
	keeps := func(s schema) bool { return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields }
	for _, test := range []struct {
		name, spec string
		versions   string
		holds      func(root schema) bool
	}{
		{"of one version and no schema", "  version: v1", "v1", func(root schema) bool { return keeps(root) && len(root.Properties) == 0 }},
		{"of two versions", "  versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}]\n" + typed, "v1 v2",
			func(root schema) bool { return keeps(root) && len(root.Properties) == 1 }},
		{"that keeps what it does not know", "  version: v1\n" + typed, "v1", func(root schema) bool {
			spec := root.Properties["spec"]
			return keeps(root) && keeps(&spec) && spec.Properties["size"].Type == "integer"
		}},
		{"that prunes", "  version: v1\n  preserveUnknownFields: false\n" + typed, "v1",
			func(root schema) bool { return !keeps(root) && len(root.Properties) == 1 }},
		{"of a schema that is not structural", "  version: v1\n" + typeless, "v1", func(root schema) bool { return keeps(root) && len(root.Properties) == 0 }},
	} {
		found, err := Definitions(read(t, things(test.spec)))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var versions []string
		for _, version := range found[0].Spec.Versions {
			versions = append(versions, version.Name)
			if !test.holds(version.Schema.OpenAPIV3Schema) {
				t.Errorf("%s: schema of %s: %+v", test.name, version.Name, version.Schema.OpenAPIV3Schema)
			}
		}
		if got := strings.Join(versions, " "); got != test.versions || found[0].Spec.PreserveUnknownFields {
			t.Errorf("%s: versions %s, want %s", test.name, got, test.versions)
		}
	}
}

func TestDefinitionOfAnUnknownVersion(t *testing.T) {
	_, err := Definitions(read(t, strings.Replace(things(""), "v1beta1", "v2", 1)))
	const want = "all.yaml: CustomResourceDefinition/things.example.com: its version is v2: write it in apiextensions.k8s.io/v1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
