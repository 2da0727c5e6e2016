package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
)

// drillSubject is an operator to be drilled.
type drillSubject struct {
	name        string
	manifest    *operator.Manifest
	controllers []string
	clusterWide bool
	// command starts it, once it has been prepared.
	command operator.Command
	known   *operator.Operator // nil for one of the user's
}

// subjects are the operators that the command line names, or the one that a file describes.
func (o drillOptions) subjects(definition *drill.Definition) ([]*drillSubject, error) {
	described := definition.Operator
	switch {
	case described != nil && len(o.operators) > 0:
		return nil, errors.New("--operator: the file describes the operator already")
	case described != nil:
		file := o.config
		if file == "" {
			file = definition.Source
		}
		// As a whole path: a program in the current folder would be looked for on PATH otherwise.
		folder, err := filepath.Abs(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		subject, err := describedSubject(*described, folder)
		if err != nil {
			return nil, fmt.Errorf("%s: operator.%w", file, err)
		}
		return []*drillSubject{subject}, nil
	case len(o.operators) == 0:
		return nil, fmt.Errorf("--operator: name one of %s, or give --config", operatorNames())
	}
	known, err := findOperators(o.operators)
	if err != nil {
		return nil, err
	}
	var all []*drillSubject
	for _, found := range known {
		manifest, err := found.ReadManifest()
		if err != nil {
			return nil, err
		}
		manifest.CRDs = []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()}
		all = append(all, &drillSubject{name: found.Name, manifest: manifest, known: &found})
	}
	return all, nil
}

// describedSubject is the operator of a drill file, whose relative paths begin at its folder.
func describedSubject(described drill.Operator, folder string) (*drillSubject, error) {
	var paths []string
	for _, path := range described.Manifests {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		paths = append(paths, path)
	}
	objects, err := operator.ReadObjects(described.Name, paths...)
	if err != nil {
		return nil, fmt.Errorf("manifests: %w", err)
	}
	manifest, err := operator.NewManifest(objects, operator.Choice{
		LeaveOut: described.LeaveOut, ServiceAccount: described.ServiceAccount,
	})
	if err != nil {
		return nil, err
	}
	command := described.StartedBy()
	if strings.Contains(command.Program, "/") && !filepath.IsAbs(command.Program) {
		command.Program = filepath.Join(folder, command.Program)
	}
	if command.Program, err = exec.LookPath(command.Program); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	return &drillSubject{
		name: described.Name, manifest: manifest, controllers: slices.Clone(described.Controllers),
		clusterWide: described.ClusterWide, command: command,
	}, nil
}

// prepare builds one of the known operators in a folder.
func (s *drillSubject) prepare(ctx context.Context, folder string, stderr io.Writer) error {
	if s.known == nil {
		return nil
	}
	fmt.Fprintf(stderr, "building %s\n", s.name)
	binary := filepath.Join(folder, s.name)
	s.command = operator.CommandOf(binary)
	return s.known.Build(ctx, binary)
}

// install installs all that the operator needs in a cluster, and says whom it runs as.
func (s *drillSubject) install(
	ctx context.Context, ground *controlplane.ControlPlane, client kubernetes.Interface, stderr io.Writer,
) (operator.Identity, error) {
	for _, notice := range s.manifest.Notices {
		fmt.Fprintf(stderr, "%s: %s\n", s.name, notice)
	}
	identity, err := s.manifest.Install(ctx, client)
	if err == nil {
		err = s.manifest.Apply(ctx, ground.AdminConfig())
	}
	if err != nil {
		return identity, fmt.Errorf("%s: operator.manifests: %w", s.name, err)
	}
	who := identity.String()
	if identity.Administrator() {
		who += " (no ServiceAccount in operator.manifests)"
	}
	fmt.Fprintf(stderr, "%s runs as %s\n", s.name, who)
	return identity, nil
}
