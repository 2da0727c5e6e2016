package operator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Manifest is what an operator's manifests say: the resources it is about, whom it runs as and what is bound to that, and all else
// that it needs in a cluster.
type Manifest struct {
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// Notices tell, a line each, which objects are not applied though nobody asked to leave them out.
	Notices []string

	accounts            []*corev1.ServiceAccount
	account             *corev1.ServiceAccount // the one of them that the operator runs as, or nil
	clusterRoles        map[string]*rbacv1.ClusterRole
	roles               []*rbacv1.Role
	clusterRoleBindings []*rbacv1.ClusterRoleBinding
	roleBindings        []*rbacv1.RoleBinding
	workloads           []Object
	others              []Object
}

// Choice says what of the manifests is wanted.
type Choice struct {
	// LeaveOut are objects that are not applied, as kind/name.
	LeaveOut []string
	// ServiceAccount is the one that the operator runs as, as name or namespace/name; empty where there is no doubt.
	ServiceAccount string
}

// NewManifest sorts the objects of an operator's manifests by what is done with them. Every object is applied, noticed or refused.
// The error names the field of a drill file's operator that is wrong.
func NewManifest(objects []Object, c Choice) (*Manifest, error) {
	wanted, err := leaveOut(objects, c.LeaveOut)
	if err != nil {
		return nil, err
	}
	m := &Manifest{clusterRoles: map[string]*rbacv1.ClusterRole{}}
	for _, object := range wanted {
		if err := m.add(object); err != nil {
			return nil, fmt.Errorf("manifests: %w", err)
		}
	}
	m.completeNamespaces()
	m.account, err = chooseAccount(m.accounts, m.workloads, c.ServiceAccount)
	return m, err
}

// ReadManifest reads the manifests at some paths, of which all is wanted.
func ReadManifest(paths ...string) (*Manifest, error) {
	objects, err := ReadObjects("", paths...)
	if err != nil {
		return nil, err
	}
	return NewManifest(objects, Choice{})
}

// Definitions returns the CustomResourceDefinitions among some objects.
func Definitions(objects []Object) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() == definitionKind {
			found, err := definition(object)
			if err != nil {
				return nil, err
			}
			all = append(all, found)
		}
	}
	return all, nil
}

var definitionKind = schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition"}

// leaveOut returns the objects without some, each of which there must be.
func leaveOut(objects []Object, names []string) ([]Object, error) {
	for i, name := range names {
		if !slices.ContainsFunc(objects, func(o Object) bool { return o.String() == name }) {
			return nil, fmt.Errorf("leaveOut[%d]: operator.manifests hold no %s: name an object of theirs, as kind/name", i, name)
		}
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return slices.Contains(names, o.String()) }), nil
}

func (m *Manifest) add(o Object) error {
	if err := checkReachable(o); err != nil {
		return err
	}
	kind := o.GroupVersionKind()
	switch {
	case kind.GroupKind() == definitionKind:
		return addTyped(o, definition, func(d *apiextensionsv1.CustomResourceDefinition) { m.CRDs = append(m.CRDs, d) })
	case kind.Group == "" && kind.Kind == rbacv1.ServiceAccountKind:
		return addTyped(o, typed, func(a *corev1.ServiceAccount) { m.accounts = append(m.accounts, a) })
	case kind.Group == rbacv1.GroupName:
		return m.addRBAC(o)
	case isWorkload(kind.GroupKind()):
		m.workloads = append(m.workloads, o)
		m.Notices = append(m.Notices, fmt.Sprintf("left out %s: the drill starts operator.command in place of workloads", o))
	case isHookOfAnotherTime(o):
		m.Notices = append(m.Notices, fmt.Sprintf("left out %s: its chart has it for another time than the installation (%s)",
			o, o.GetAnnotations()[hook]))
	default:
		m.others = append(m.others, o)
	}
	return nil
}

// addRBAC adds a role or a binding, which look the same in all versions that there have been.
func (m *Manifest) addRBAC(o Object) error {
	o.SetAPIVersion(rbacv1.SchemeGroupVersion.String())
	switch o.GetKind() {
	case "ClusterRole":
		return addTyped(o, typed, func(r *rbacv1.ClusterRole) { m.clusterRoles[r.Name] = r })
	case "Role":
		return addTyped(o, typed, func(r *rbacv1.Role) { m.roles = append(m.roles, r) })
	case "ClusterRoleBinding":
		return addTyped(o, typed, func(b *rbacv1.ClusterRoleBinding) { m.clusterRoleBindings = append(m.clusterRoleBindings, b) })
	case "RoleBinding":
		return addTyped(o, typed, func(b *rbacv1.RoleBinding) { m.roleBindings = append(m.roleBindings, b) })
	default:
		return o.errorf("there is no such kind in %s", rbacv1.SchemeGroupVersion)
	}
}

// addTyped adds an object as its Go type.
func addTyped[T any](o Object, read func(Object) (*T, error), add func(*T)) error {
	value, err := read(o)
	if err == nil {
		add(value)
	}
	return err
}

// isWorkload reports whether a kind starts containers.
func isWorkload(kind schema.GroupKind) bool {
	switch kind.Kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet":
		return kind.Group == "apps" || kind.Group == "extensions"
	case "Job", "CronJob":
		return kind.Group == "batch"
	case "Pod", "ReplicationController":
		return kind.Group == ""
	}
	return false
}

// hook is the annotation of objects that a chart has for a certain time.
const hook = "helm.sh/hook"

func isHookOfAnotherTime(o Object) bool {
	times := o.GetAnnotations()[hook]
	return times != "" && !strings.Contains(times, "-install")
}

// completeNamespaces says where the ServiceAccounts are whose manifests leave it to the command line, and whose namespace a binding
// leaves out: there, or in the binding's own.
func (m *Manifest) completeNamespaces() {
	for _, account := range m.accounts {
		if account.Namespace == "" {
			account.Namespace = m.namespaceOf(account.Name)
		}
	}
	complete := func(subjects []rbacv1.Subject, namespace string) {
		for i := range subjects {
			if s := &subjects[i]; s.Kind == rbacv1.ServiceAccountKind && s.Namespace == "" {
				s.Namespace = cmp.Or(namespace, m.knownNamespaceOf(s.Name))
			}
		}
	}
	for _, binding := range m.clusterRoleBindings {
		complete(binding.Subjects, "")
	}
	for _, binding := range m.roleBindings {
		complete(binding.Subjects, binding.Namespace)
	}
}
