// Package operator builds an operator, gives it an identity of its own and launches it, as somebody who runs it in a
// cluster would: the binary unmodified, a kubeconfig for its ServiceAccount, and flags.
package operator

import (
	"fmt"
	"strings"
)

// Operator says how to build and start an operator.
type Operator struct {
	// Name is what the operator is called on a command line.
	Name string
	// Package is the Go package of its main function, relative to the checkout.
	Package string
	// Manifest holds its ServiceAccount, its roles and their bindings: a file, or a folder for kustomize, relative to the
	// checkout.
	Manifest string
}

// Known are the operators of this project.
var Known = []Operator{
	{Name: "handwired", Package: "./handwired", Manifest: "handwired/deploy/rbac.yaml"},
	{Name: "kubebuilder", Package: "./kubebuilder/cmd", Manifest: "kubebuilder/config/default"},
}

// Find returns the operator of a name, or an error that lists the names there are.
func Find(name string) (Operator, error) {
	var names []string
	for _, o := range Known {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Operator{}, fmt.Errorf("unknown operator %q: choose one of %s", name, strings.Join(names, ", "))
}

// Holds reports whether a file, relative to the checkout, is of the operator's own folder.
func (o Operator) Holds(file string) bool {
	folder, _, _ := strings.Cut(strings.TrimPrefix(o.Package, "./"), "/")
	return strings.HasPrefix(file, folder+"/")
}
