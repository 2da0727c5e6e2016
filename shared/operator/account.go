package operator

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// chooseAccount returns the ServiceAccount that an operator runs as: the one that is named, or else the only one, or else the one
// that all its workloads run as. It returns nil if there is none.
func chooseAccount(accounts []*corev1.ServiceAccount, workloads []Object, named string) (*corev1.ServiceAccount, error) {
	switch {
	case named == "" && len(accounts) == 0:
		return nil, nil
	case named == "" && len(accounts) == 1:
		return accounts[0], nil
	case named == "":
		named = accountOf(workloads)
	}
	var names []string
	var matching []*corev1.ServiceAccount
	for _, account := range accounts {
		name := account.Namespace + "/" + account.Name
		names = append(names, name)
		if named == name || named == account.Name {
			matching = append(matching, account)
		}
	}
	switch {
	case len(accounts) == 0:
		return nil, fmt.Errorf("serviceAccount: operator.manifests hold no ServiceAccount, and so not %s", named)
	case len(matching) == 1:
		return matching[0], nil
	default:
		return nil, fmt.Errorf("serviceAccount: name the one that the operator runs as: %s", strings.Join(names, " or "))
	}
}

// accountOf returns the name of the ServiceAccount that all of some workloads run as that go on for ever; empty if they run as several.
func accountOf(workloads []Object) string {
	var names []string
	for _, workload := range workloads {
		if slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, workload.GetKind()) {
			name, _, _ := unstructured.NestedString(workload.Object, "spec", "template", "spec", "serviceAccountName")
			names = append(names, name)
		}
	}
	if names = slices.Compact(names); len(names) != 1 {
		return ""
	}
	return names[0]
}

// namespaceOf is where the bindings look for a ServiceAccount whose manifest leaves it to the command line.
func (m *Manifest) namespaceOf(account string) string {
	var subjects []rbacv1.Subject
	for _, binding := range m.clusterRoleBindings {
		subjects = append(subjects, binding.Subjects...)
	}
	for _, binding := range m.roleBindings {
		subjects = append(subjects, binding.Subjects...)
	}
	for _, subject := range subjects {
		if subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account && subject.Namespace != "" {
			return subject.Namespace
		}
	}
	return metav1.NamespaceDefault
}

// knownNamespaceOf is the namespace of a ServiceAccount of the manifest's; empty for any other.
func (m *Manifest) knownNamespaceOf(account string) string {
	for _, known := range m.accounts {
		if known.Name == account {
			return known.Namespace
		}
	}
	return ""
}
