package operator

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
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

// Install is [Operator.Install] for any operator. One whose manifest has no ServiceAccount runs as the administrator.
func (m *Manifest) Install(ctx context.Context, client kubernetes.Interface) (Identity, error) {
	if m.account == nil {
		return Identity{manifest: &Manifest{}}, nil
	}
	account := types.NamespacedName{Namespace: m.account.Namespace, Name: m.account.Name}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: account.Namespace}}
	_, noNamespace := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	_, noAccount := client.CoreV1().ServiceAccounts(account.Namespace).Create(ctx, m.account, metav1.CreateOptions{})
	failures := []error{noNamespace, noAccount}
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
		return Identity{}, fmt.Errorf("installing ServiceAccount %s and its roles: %w", account, err)
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

// BindEverywhere lets the operator work in all namespaces.
func (i Identity) BindEverywhere(ctx context.Context, client kubernetes.Interface) error {
	var failures []error
	for _, binding := range i.manifest.clusterRoleBindings {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	return firstBut(apierrors.IsAlreadyExists, append(failures, i.bindRoles(ctx, client, i.Account.Namespace))...)
}

// Bind lets the operator work in one namespace. Its Roles, which the manifest has for the operator's own namespace, are
// copied to that one.
func (i Identity) Bind(ctx context.Context, client kubernetes.Interface, namespace string) error {
	var failures []error
	for _, binding := range i.manifest.clusterRoleBindings {
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: binding.Name},
			RoleRef:    binding.RoleRef,
			Subjects:   binding.Subjects,
		}, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	return firstBut(apierrors.IsAlreadyExists, append(failures, i.bindRoles(ctx, client, namespace))...)
}

func (i Identity) bindRoles(ctx context.Context, client kubernetes.Interface, namespace string) error {
	var failures []error
	for _, role := range i.manifest.roles {
		copied := role.DeepCopy()
		copied.Namespace = namespace
		_, err := client.RbacV1().Roles(namespace).Create(ctx, copied, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	for _, binding := range i.manifest.roleBindings {
		copied := binding.DeepCopy()
		copied.Namespace = namespace
		_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, copied, metav1.CreateOptions{})
		failures = append(failures, err)
	}
	return firstBut(apierrors.IsAlreadyExists, failures...)
}

// firstBut returns the first error that is not of a kind that may happen.
func firstBut(may func(error) bool, failures ...error) error {
	for _, err := range failures {
		if err != nil && !may(err) {
			return err
		}
	}
	return nil
}
