package drill

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/twinloop/shared/operator"
)

// Operator says how to start an operator that is drilled, and what it needs in a cluster. Texts of the command and the
// environment may name {{kubeconfig}}, {{namespace}} and {{dns}}, the host:port of the DNS server.
type Operator struct {
	// Name is what reports call it.
	Name string `json:"name"`
	// Command is the program and its arguments. A program with a slash in it is found from the drill file's folder, another on
	// PATH.
	Command []string          `json:"command"`
	Env     map[string]string `json:"env,omitempty"`
	// Alone are arguments for one process that must not wait for a Lease, Electing for one that must, Publishing for one
	// that has a DNS server.
	Alone      []string `json:"alone,omitempty"`
	Electing   []string `json:"electing,omitempty"`
	Publishing []string `json:"publishing,omitempty"`
	// Manifests are files of YAML, or folders of such, for kustomize or of a Helm chart, found from the drill file's folder. All that they
	// hold is applied but workloads. Without a ServiceAccount among it the operator runs as the administrator.
	Manifests []string `json:"manifests,omitempty"`
	// LeaveOut are objects of the manifests that are not applied, as kind/name.
	LeaveOut []string `json:"leaveOut,omitempty"`
	// ServiceAccount is the one of several that the operator runs as, as name or namespace/name.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// ClusterWide is set for one that cannot be told to work in one namespace only.
	ClusterWide bool `json:"clusterWide,omitempty"`
	// Controllers are those of kube-controller-manager that it needs beside garbage collection, such as replicaset-controller.
	Controllers []string `json:"controllers,omitempty"`
}

func (o Operator) validate() error {
	switch {
	case !fitsNamespace(o.Name):
		return fmt.Errorf("name: %q must be %s", o.Name, namespacePart)
	case len(o.Command) == 0 || o.Command[0] == "":
		return errors.New("command: give the program and its arguments, such as [./my-operator, --kubeconfig={{kubeconfig}}]")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Env)) {
		if name == "" || strings.Contains(name, "=") {
			return fmt.Errorf("env: %q must be the name of a variable, and no name is empty or has = in it", name)
		}
	}
	for i, name := range o.Controllers {
		if !controllerName.MatchString(name) {
			return fmt.Errorf("controllers[%d]: %q must be a name as kube-controller-manager has them, such as replicaset-controller", i, name)
		}
	}
	texts := slices.Concat(o.Command, o.Alone, o.Electing, o.Publishing, slices.Collect(maps.Values(o.Env)))
	if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "{{kubeconfig}}") }) {
		return errors.New("command: {{kubeconfig}} is named neither there nor in env: without it the operator cannot find the API server")
	}
	for _, text := range texts {
		rest := strings.NewReplacer("{{kubeconfig}}", "", "{{namespace}}", "", "{{dns}}", "").Replace(text)
		if strings.Contains(rest, "{{") {
			return fmt.Errorf("command: %q: what can be named is {{kubeconfig}}, {{namespace}} and {{dns}}", text)
		}
	}
	if !o.ClusterWide && !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "{{namespace}}") }) {
		return errors.New("command: {{namespace}} is named neither there nor in env; say clusterWide: true if the operator cannot be " +
			"told to work in one namespace")
	}
	return nil
}

// controllerName is the form of all names in k8s.io/kubernetes/cmd/kube-controller-manager/names.
var controllerName = regexp.MustCompile(`^[a-z][a-z0-9-]*-controller$`)

// StartedBy is the command that starts the operator.
func (o Operator) StartedBy() operator.Command {
	command := operator.Command{
		Program: o.Command[0], Args: o.Command[1:], Alone: o.Alone, Electing: o.Electing, Publishing: o.Publishing,
	}
	for _, name := range slices.Sorted(maps.Keys(o.Env)) {
		command.Env = append(command.Env, name+"="+o.Env[name])
	}
	return command
}
