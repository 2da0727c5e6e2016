package operator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/twinloop/shared/checkout"
)

// Identity is whom an operator runs as.
type Identity struct {
	Account     types.NamespacedName
	clusterRole string
	binding     *rbacv1.ClusterRoleBinding
}

// Install creates the operator's ServiceAccount and ClusterRole, which lets it do nothing yet: bind it next.
func (o Operator) Install(ctx context.Context, client kubernetes.Interface) (Identity, error) {
	objects, err := o.readRBAC()
	if err != nil {
		return Identity{}, err
	}
	account := objects.account
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: account.Namespace}}
	_, noNamespace := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	_, noAccount := client.CoreV1().ServiceAccounts(account.Namespace).Create(ctx, account, metav1.CreateOptions{})
	_, noRole := client.RbacV1().ClusterRoles().Create(ctx, objects.role, metav1.CreateOptions{})
	if err := firstBut(apierrors.IsAlreadyExists, noNamespace, noAccount, noRole); err != nil {
		return Identity{}, fmt.Errorf("installing %s: %w", o.RBAC, err)
	}
	return Identity{
		Account:     types.NamespacedName{Namespace: account.Namespace, Name: account.Name},
		clusterRole: objects.role.Name,
		binding:     objects.binding,
	}, nil
}

// BindEverywhere lets the operator work in all namespaces.
func (i Identity) BindEverywhere(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, i.binding, metav1.CreateOptions{})
	return firstBut(apierrors.IsAlreadyExists, err)
}

// Bind lets the operator work in one namespace.
func (i Identity) Bind(ctx context.Context, client kubernetes.Interface, namespace string) error {
	_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: i.Account.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: i.clusterRole},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: i.Account.Namespace, Name: i.Account.Name}},
	}, metav1.CreateOptions{})
	return firstBut(apierrors.IsAlreadyExists, err)
}

// rbacObjects are what an operator's manifest must hold, one of each.
type rbacObjects struct {
	account *corev1.ServiceAccount
	role    *rbacv1.ClusterRole
	binding *rbacv1.ClusterRoleBinding
}

func (o Operator) readRBAC() (rbacObjects, error) {
	var objects rbacObjects
	root, err := checkout.Root()
	if err != nil {
		return objects, err
	}
	manifest, err := os.ReadFile(filepath.Join(root, o.RBAC))
	if err != nil {
		return objects, err
	}
	documents, err := documentsOf(manifest)
	if err != nil {
		return objects, fmt.Errorf("%s: %w", o.RBAC, err)
	}
	for _, document := range documents {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return objects, fmt.Errorf("%s: %w", o.RBAC, err)
		}
		switch object := object.(type) {
		case *corev1.ServiceAccount:
			objects.account = object
		case *rbacv1.ClusterRole:
			objects.role = object
		case *rbacv1.ClusterRoleBinding:
			objects.binding = object
		}
	}
	if objects.account == nil || objects.role == nil || objects.binding == nil {
		return objects, fmt.Errorf("%s must hold a ServiceAccount, a ClusterRole and a ClusterRoleBinding", o.RBAC)
	}
	return objects, nil
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

// documentsOf splits a manifest at its document separators.
func documentsOf(manifest []byte) ([][]byte, error) {
	var documents [][]byte
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
}
