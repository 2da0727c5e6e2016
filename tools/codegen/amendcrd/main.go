// Command amendcrd does to the CustomResourceDefinition of Fleet what no marker can, since the types concerned are
// Kubernetes' own and not the API's:
//
//   - it bounds the labels of the selector and of the template, without which the API server refuses every rule over
//     them as too costly;
//   - it requires the pod's spec in the template, which Kubernetes' own type leaves to validation in code;
//   - it removes the field descriptions below spec.template. They are the pod's own, which every cluster serves already
//     (`kubectl explain pod.spec`), and with them a plain `kubectl apply` is refused, since the copy of the manifest that
//     it keeps in an annotation is larger than an annotation may be (256 KiB).
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// object is a JSON object.
type object = map[string]any

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: amendcrd FILE")
		os.Exit(2)
	}
	if err := amend(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "amendcrd:", err)
		os.Exit(1)
	}
}

func amend(file string) error {
	manifest, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd object
	if err := yaml.Unmarshal(manifest, &crd); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	versions, _ := descend(crd, "spec")["versions"].([]any)
	for _, version := range versions {
		version, _ := version.(object)
		spec := descend(version, "schema", "openAPIV3Schema", "properties", "spec", "properties")
		boundSelector(descend(spec, "selector", "properties"))
		boundLabels(descend(spec, "template", "properties", "metadata", "properties", "labels"))
		descend(spec, "template")["required"] = []any{"spec"}
		for _, part := range descend(spec, "template", "properties") {
			dropDescriptions(part)
		}
	}
	amended, err := yaml.Marshal(crd)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), amended...), 0o644)
}

func descend(node object, path ...string) object {
	for _, key := range path {
		node, _ = node[key].(object)
	}
	return node
}

// The length of a label's value and of its key, with the key's prefix, are Kubernetes' own
// (k8s.io/apimachinery/pkg/util/validation); the number of labels is unlimited there, and generous here.
const (
	maxLabels      = 64
	maxLabelKey    = 253 + 1 + 63
	maxLabelValue  = 63
	maxExpressions = 32
)

func boundLabels(schema object) {
	schema["maxProperties"] = maxLabels
	descend(schema, "additionalProperties")["maxLength"] = maxLabelValue
}

func boundSelector(properties object) {
	boundLabels(descend(properties, "matchLabels"))
	expressions := descend(properties, "matchExpressions")
	expressions["maxItems"] = maxExpressions
	expression := descend(expressions, "items", "properties")
	descend(expression, "key")["maxLength"] = maxLabelKey
	descend(expression, "operator")["enum"] = []any{"In", "NotIn", "Exists", "DoesNotExist"}
	descend(expression, "values")["maxItems"] = maxLabels
	descend(expression, "values", "items")["maxLength"] = maxLabelValue
}

// dropDescriptions removes the description of every schema below node. A property that is itself called
// "description" is a schema, not a string, and stays.
func dropDescriptions(node any) {
	switch node := node.(type) {
	case object:
		if _, isText := node["description"].(string); isText {
			delete(node, "description")
		}
		for _, child := range node {
			dropDescriptions(child)
		}
	case []any:
		for _, child := range node {
			dropDescriptions(child)
		}
	}
}
