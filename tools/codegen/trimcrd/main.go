// Command trimcrd removes the field descriptions below spec.template of a CustomResourceDefinition manifest.
//
// They are the pod's own, which every cluster serves already (`kubectl explain pod.spec`), and are four fifths of
// the manifest: with them a plain `kubectl apply` is refused, since the copy of the manifest that it keeps in an
// annotation is larger than an annotation may be (256 KiB).
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: trimcrd FILE")
		os.Exit(2)
	}
	if err := trim(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "trimcrd:", err)
		os.Exit(1)
	}
}

func trim(file string) error {
	manifest, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(manifest, &crd); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	versions, _ := descend(crd, "spec")["versions"].([]any)
	for _, version := range versions {
		version, _ := version.(map[string]any)
		template := descend(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "template")
		for _, part := range descend(template, "properties") {
			dropDescriptions(part)
		}
	}
	trimmed, err := yaml.Marshal(crd)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), trimmed...), 0o644)
}

func descend(node map[string]any, path ...string) map[string]any {
	for _, key := range path {
		node, _ = node[key].(map[string]any)
	}
	return node
}

// dropDescriptions removes the description of every schema below node. A property that is itself called
// "description" is a schema, not a string, and stays.
func dropDescriptions(node any) {
	switch node := node.(type) {
	case map[string]any:
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
