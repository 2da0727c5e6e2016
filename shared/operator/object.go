package operator

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Object is an object of an operator's manifests, and the file that it is from.
type Object struct {
	*unstructured.Unstructured
	File string
}

// String returns the object's kind and name, as a drill file's operator.leaveOut has them.
func (o Object) String() string { return o.GetKind() + "/" + o.GetName() }

// errorf returns an error about the object.
func (o Object) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", o.File, o, fmt.Errorf(format, args...))
}

// ReadObjects reads all objects of some manifests: files of YAML, and folders. A folder of a Helm chart is rendered as
// `helm template RELEASE` renders it, one for kustomize as `kubectl apply -k` builds it, any other is read file by file. Lists are
// opened. The error names the file, and what is wrong there.
func ReadObjects(release string, paths ...string) ([]Object, error) {
	var all []Object
	for _, path := range paths {
		files, err := ManifestsIn(path)
		if err == nil && len(files) == 0 {
			err = errors.New("it has neither a kustomization nor a file of YAML: name the folder or the file that does")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, file := range files {
			texts, err := textsOf(release, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for _, text := range texts {
				objects, err := text.objects()
				if err != nil {
					return nil, fmt.Errorf("%s: %w", text.name, err)
				}
				all = append(all, objects...)
			}
		}
	}
	return all, nil
}

// text is the content of a manifest, and the file that it is from.
type text struct {
	name    string
	content []byte
}

// objects returns the objects of a text.
func (t text) objects() ([]Object, error) {
	documents, err := documentsOf(t.content)
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, document := range documents {
		fields := map[string]any{}
		if err := json.Unmarshal(document, &fields); err != nil {
			return nil, errNoObject
		}
		opened, err := open(fields)
		if err != nil {
			return nil, err
		}
		for _, fields := range opened {
			raw, err := json.Marshal(fields)
			if err != nil {
				return nil, err
			}
			object := Object{&unstructured.Unstructured{}, t.name}
			if err := object.UnmarshalJSON(raw); err != nil {
				return nil, err
			}
			if object.GetName() == "" {
				return nil, fmt.Errorf("%s: metadata.name: give it one", object.GetKind())
			}
			all = append(all, object)
		}
	}
	return all, nil
}

var errNoObject = errors.New("it is no object of Kubernetes: give it an apiVersion and a kind")

// open returns the items of a list, and of the lists among them, or an object that is none. The items of a list of one kind need
// not repeat the kind.
func open(fields map[string]any) ([]map[string]any, error) {
	apiVersion, _ := fields["apiVersion"].(string)
	kind, _ := fields["kind"].(string)
	if apiVersion == "" || kind == "" {
		return nil, errNoObject
	}
	items, ok := fields["items"].([]any)
	if !ok || !strings.HasSuffix(kind, "List") {
		return []map[string]any{fresh(fields)}, nil
	}
	var all []map[string]any
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: items[%d]: %w", kind, i, errNoObject)
		}
		if object["kind"] == nil && kind != "List" {
			object["apiVersion"], object["kind"] = apiVersion, strings.TrimSuffix(kind, "List")
		}
		opened, err := open(object)
		if err != nil {
			return nil, fmt.Errorf("%s: items[%d]: %w", kind, i, err)
		}
		all = append(all, opened...)
	}
	return all, nil
}

// fresh returns an object without what only an API server says of it, which manifests have that were read from one.
func fresh(fields map[string]any) map[string]any {
	delete(fields, "status")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		for _, field := range []string{
			"creationTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid",
		} {
			delete(metadata, field)
		}
	}
	return fields
}

// documentsOf splits a manifest at its document separators, and returns the documents as JSON. What has only comments in it, such as
// a licence, is no document.
func documentsOf(content []byte) ([][]byte, error) {
	var documents [][]byte
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("it is no valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if string(value) != "null" {
			documents = append(documents, value)
		}
	}
}

// typed returns an object as its Go type.
func typed[T any](o Object) (*T, error) {
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	value := new(T)
	if err := json.Unmarshal(raw, value); err != nil {
		return nil, o.errorf("%w", err)
	}
	return value, nil
}
