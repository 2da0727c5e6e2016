package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/operator"
)

// drillInitOptions are the command's flags.
type drillInitOptions struct {
	crd    string
	sample string
	output string
}

func newDrillInitCommand() *cobra.Command {
	var o drillInitOptions
	command := &cobra.Command{
		Use:   "init --crd FILE --sample FILE",
		Short: "Write a first version of a drill file for an operator of yours",
		Long: "Write a first version of the file that 'twinloop drill NAME --config FILE' reads: how the operator is started, which\n" +
			"is left to be filled in, and a scenario in which the sample is created, scaled and deleted, as far as the\n" +
			"CustomResourceDefinition tells how.",
		Example: "  twinloop drill init --crd config/crd/bases --sample config/samples/web.yaml --output drill.yaml\n" +
			"  twinloop drill crash --config drill.yaml",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.run(command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.crd, "crd", "",
		"The CustomResourceDefinitions that the operator needs: a file, or a folder of files, for kustomize or\nof a Helm chart.")
	flags.StringVar(&o.sample, "sample", "", "An object of one of them.")
	flags.StringVarP(&o.output, "output", "o", "", "Write to this file, which must not be there yet, and not to standard output.")
	return command
}

func (o drillInitOptions) run(stdout, stderr io.Writer) error {
	paths, definitions, err := o.definitions()
	if err != nil {
		return fmt.Errorf("--crd: %w", err)
	}
	sample, err := o.readSample()
	if err != nil {
		return fmt.Errorf("--sample: %w", err)
	}
	if paths, err = o.fromOutput(paths); err != nil {
		return fmt.Errorf("--crd: %w", err)
	}
	sketch, err := drill.Sketch(definitions, sample, paths)
	if err != nil {
		return fmt.Errorf("--crd, --sample: %w", err)
	}
	if o.output == "" {
		_, err := io.WriteString(stdout, sketch)
		return err
	}
	if err := createFile(o.output, sketch); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	fmt.Fprintf(stderr, "wrote %s: say under operator how yours is started, and hold\n  twinloop drill crash --config %s\n",
		o.output, o.output)
	return nil
}

// createFile never writes over what is there.
func createFile(name, content string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: name another file, or remove it", name)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, content)
	return errors.Join(err, file.Close())
}

// definitions are those that --crd names, and the paths of the manifests that they are in.
func (o drillInitOptions) definitions() (paths []string, all []*apiextensionsv1.CustomResourceDefinition, err error) {
	if o.crd == "" {
		return nil, nil, errors.New("name the file with the CustomResourceDefinition")
	}
	candidates, err := operator.ManifestsIn(o.crd)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range candidates {
		objects, err := operator.ReadObjects("operator", path)
		if err != nil {
			return nil, nil, err
		}
		found, err := operator.Definitions(objects)
		if err != nil {
			return nil, nil, err
		}
		if len(found) > 0 {
			paths, all = append(paths, path), append(all, found...)
		}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s holds no CustomResourceDefinition: name the file that does", o.crd)
	}
	return paths, all, nil
}

// readSample reads the object that --sample names.
func (o drillInitOptions) readSample() (*unstructured.Unstructured, error) {
	if o.sample == "" {
		return nil, errors.New("name a file with an object of the definition")
	}
	content, err := os.ReadFile(o.sample)
	if err != nil {
		return nil, err
	}
	objects, err := objectsOf(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.sample, err)
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s holds %d objects: name a file with one", o.sample, len(objects))
	}
	sample := objects[0]
	if sample.GetName() == "" {
		return nil, fmt.Errorf("%s: metadata.name: give the object one", o.sample)
	}
	return sample, nil
}

// objectsOf reads objects of any kind, one after the other.
func objectsOf(content []byte) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content))
	for {
		var object *unstructured.Unstructured
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("no object of Kubernetes: %w", err)
		case object != nil:
			all = append(all, object)
		}
	}
}

// fromOutput are paths as the file that is written has them: from its folder, unless they are absolute.
func (o drillInitOptions) fromOutput(paths []string) ([]string, error) {
	folder, err := filepath.Abs(filepath.Dir(o.output))
	if err != nil {
		return nil, err
	}
	var relative []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			here, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			if path, err = filepath.Rel(folder, here); err != nil {
				return nil, err
			}
		}
		relative = append(relative, filepath.ToSlash(path))
	}
	return relative, nil
}
