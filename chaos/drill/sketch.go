package drill

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed sketch.yaml
var sketchText string

var sketchTemplate = template.Must(template.New("sketch").Delims("<<", ">>").Funcs(template.FuncMap{
	"join": strings.Join, "scalar": scalar, "lines": indented, "comment": comment,
}).Parse(sketchText))

// sketch is what the template sees.
type sketch struct {
	Name, Kind, Plural, Resource, Object string
	Manifests                            []string
	Sample                               map[string]any
	// Scale is the patch that asks for another number of replicas; nil where an object asks for none, or for no other.
	Scale  map[string]any
	Change *change
	rest
}

// Sketch writes a first version of a drill file for the operator of a custom resource. A sample is created, scaled where it
// has replicas, and deleted; what each step awaits is made of what the definition says of the status, in the sense of
// kstatus. The definitions are those that the operator needs, and manifests where they are, as paths from the file's folder. The
// error says why nothing can be made of the sample.
func Sketch(
	definitions []*apiextensionsv1.CustomResourceDefinition, sample *unstructured.Unstructured, manifests []string,
) (string, error) {
	definition, version, err := definitionOf(sample, definitions)
	if err != nil {
		return "", err
	}
	names := definition.Spec.Names
	s := sketch{
		Name: sketchName(names.Kind), Kind: names.Kind, Plural: names.Plural, Resource: names.Plural + "." + definition.Spec.Group,
		Object: sample.GetName(), Manifests: manifests, Sample: applied(sample), Change: changeOf(sample),
	}
	r := replicasOf(version, sample)
	if r != nil && r.another() != r.number {
		s.Scale = nested(r.path, r.another())
	}
	s.rest = restOf(version, r)
	var text strings.Builder
	err = sketchTemplate.Execute(&text, s)
	return text.String(), err
}

// sketchName is what a drill for objects of a kind is called; an operator's name is that with a suffix, and must fit in, too.
func sketchName(kind string) string {
	name := strings.ToLower(kind)
	return strings.TrimRight(name[:min(len(name), longestName-len("-operator"))], "-")
}

// definitionOf is the definition that a sample is an object of, and the version.
func definitionOf(
	sample *unstructured.Unstructured, definitions []*apiextensionsv1.CustomResourceDefinition,
) (*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.CustomResourceDefinitionVersion, error) {
	kind := sample.GroupVersionKind()
	i := slices.IndexFunc(definitions, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return d.Spec.Group == kind.Group && d.Spec.Names.Kind == kind.Kind
	})
	if i < 0 {
		var kinds []string
		for _, d := range definitions {
			kinds = append(kinds, d.Spec.Names.Kind+"."+d.Spec.Group)
		}
		return nil, nil, fmt.Errorf("the sample is a %s, and what is defined is %s: give a sample of that",
			kind.GroupKind(), strings.Join(kinds, ", "))
	}
	definition := definitions[i]
	var served []string
	for i, version := range definition.Spec.Versions {
		if version.Served && version.Name == kind.Version {
			return definition, &definition.Spec.Versions[i], drillable(definition)
		}
		if version.Served {
			served = append(served, definition.Spec.Group+"/"+version.Name)
		}
	}
	return nil, nil, fmt.Errorf("the sample is of apiVersion %s, which %s does not serve: make it %s",
		sample.GetAPIVersion(), definition.Name, strings.Join(served, " or "))
}

// drillable says what stands against drilling the operator of a resource.
func drillable(definition *apiextensionsv1.CustomResourceDefinition) error {
	plural := definition.Spec.Names.Plural
	if definition.Spec.Scope != apiextensionsv1.NamespaceScoped {
		return fmt.Errorf("%s cannot be drilled: it is of the whole cluster, and each point has only a namespace to itself", definition.Name)
	}
	c, err := newCompiler(&Definition{Observe: []string{"pods", plural}})
	if err == nil {
		c.compile("plural", plural+".size() == 0", nil)
		err = c.err
	}
	if err != nil {
		return fmt.Errorf("%s cannot be drilled: expressions cannot have the name %s for its objects", definition.Name, plural)
	}
	return nil
}

// applied is a sample as a user has it, without what the API server adds and without a namespace, which a drill gives it.
func applied(sample *unstructured.Unstructured) map[string]any {
	metadata := map[string]any{"name": sample.GetName()}
	for _, field := range []string{"labels", "annotations"} {
		if value, found, _ := unstructured.NestedMap(sample.Object, "metadata", field); found {
			metadata[field] = value
		}
	}
	object := maps.Clone(sample.Object)
	object["metadata"] = metadata
	delete(object, "status")
	return object
}

// nested is an object with one value, at a path.
func nested(path []string, value any) map[string]any {
	object := map[string]any{}
	if err := unstructured.SetNestedField(object, value, path...); err != nil {
		panic(err) // nothing is in the way
	}
	return object
}

// scalar is a text as YAML has it, in quotes where it would be something else without.
func scalar(text string) (string, error) {
	content, err := yaml.Marshal(text)
	return strings.TrimSpace(string(content)), err
}

// indented is a value as YAML, each line after some spaces.
func indented(spaces int, value any) (string, error) {
	content, err := yaml.Marshal(value)
	return prefixed(strings.Repeat(" ", spaces), string(content)), err
}

// comment makes a comment of lines.
func comment(text string) string { return prefixed("# ", text) }

func prefixed(prefix, text string) string {
	var all []string
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		all = append(all, strings.TrimRight(prefix+line, " \n"))
	}
	return strings.Join(all, "\n")
}
