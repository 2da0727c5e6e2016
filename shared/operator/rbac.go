package operator

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/checkout"
)

// Identity is whom an operator runs as: the administrator if Account is zero.
type Identity struct {
	Account  types.NamespacedName
	manifest *Manifest
}

// Install creates the operator's ServiceAccount and ClusterRoles, with which it may do nothing yet in any namespace: bind
// them next. Questions that are about no namespace, such as who a token is, it may ask at once.
func (o Operator) Install(ctx context.Context, client kubernetes.Interface) (Identity, error) {
	m, err := o.ReadManifest()
	if err != nil {
		return Identity{}, err
	}
	return m.Install(ctx, client)
}

// ReadManifest reads the operator's manifest in the checkout.
func (o Operator) ReadManifest() (*Manifest, error) {
	root, err := checkout.Root()
	if err != nil {
		return nil, err
	}
	return ReadManifest(filepath.Join(root, o.Manifest))
}

// Administrator reports whether the operator runs as the administrator.
func (i Identity) Administrator() bool { return i.Account == (types.NamespacedName{}) }

// String returns whom the operator runs as, for people.
func (i Identity) String() string {
	if i.Administrator() {
		return "the administrator"
	}
	return "ServiceAccount " + i.Account.String()
}

// Install is [Operator.Install] for any operator. One whose manifest has no ServiceAccount runs as the administrator.
func (m *Manifest) Install(ctx context.Context, client kubernetes.Interface) (Identity, error) {
	if m.account == nil {
		return Identity{manifest: &Manifest{}}, nil
	}
	account := types.NamespacedName{Namespace: m.account.Namespace, Name: m.account.Name}
	var failures []error
	for _, one := range m.accounts {
		failures = append(failures, createNamespace(ctx, client, one.Namespace))
		_, err := client.CoreV1().ServiceAccounts(one.Namespace).Create(ctx, one, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, role := range m.clusterRoles {
		_, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, binding := range m.clusterRoleBindings {
		if role := m.clusterRoles[binding.RoleRef.Name]; role != nil && asksOnly(role) {
			_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
			failures = append(failures, err)
		}
	}
	if err := firstBut(apierrors.IsAlreadyExists, failures...); err != nil {
		return Identity{}, fmt.Errorf("installing %s and its roles: %w", Identity{Account: account}, err)
	}
	return Identity{Account: account, manifest: m}, nil
}

// asksOnly reports whether a role is for questions about no namespace alone: TokenReviews and SubjectAccessReviews.
func asksOnly(role *rbacv1.ClusterRole) bool {
	return !slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.ContainsFunc(rule.APIGroups, func(group string) bool {
			return group != authenticationv1.GroupName && group != authorizationv1.GroupName
		})
	})
}

// BindEverywhere lets the operator work in all namespaces, and in those of its Roles do what they say.
func (i Identity) BindEverywhere(ctx context.Context, client kubernetes.Interface) error {
	var failures []error
	for _, binding := range i.manifest.clusterRoleBindings {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	own := func(namespace string) string { return cmp.Or(namespace, i.Account.Namespace) }
	for _, role := range i.manifest.roles {
		failures = append(failures, createNamespace(ctx, client, own(role.Namespace)))
		_, err := client.RbacV1().Roles(own(role.Namespace)).Create(ctx, role, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, binding := range i.manifest.roleBindings {
		failures = append(failures, createNamespace(ctx, client, own(binding.Namespace)))
		_, err := client.RbacV1().RoleBindings(own(binding.Namespace)).Create(ctx, binding, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	return firstBut(apierrors.IsAlreadyExists, failures...)
}

// Bind lets the operator work in one namespace. What the manifest has for the whole cluster or for any namespace is copied to that
// one, by names in which nothing that was of the same name elsewhere collides.
func (i Identity) Bind(ctx context.Context, client kubernetes.Interface, namespace string) error {
	var failures []error
	for _, binding := range i.manifest.clusterRoleBindings {
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "cluster:" + binding.Name},
			RoleRef:    binding.RoleRef,
			Subjects:   binding.Subjects,
		}, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, role := range i.manifest.roles {
		_, err := client.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Name: copied(role.Namespace, role.Name)}, Rules: role.Rules,
		}, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, binding := range i.manifest.roleBindings {
		to := binding.RoleRef
		if to.Kind == "Role" {
			to.Name = copied(binding.Namespace, to.Name)
		}
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: copied(binding.Namespace, binding.Name)}, RoleRef: to, Subjects: binding.Subjects,
		}, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	return firstBut(apierrors.IsAlreadyExists, failures...)
}

// copied is the name of what is copied from a namespace.
func copied(namespace, name string) string { return "namespace:" + namespace + ":" + name }

// firstBut returns the first error that is not of a kind that may happen.
func firstBut(may func(error) bool, failures ...error) error {
	for _, err := range failures {
		if err != nil && !may(err) {
			return err
		}
	}
	return nil
}
