package operator

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"example.com/twinloop/shared/checkout"
)

// manifest is what an operator's manifest says about whom it runs as: a ServiceAccount and what is bound to it.
type manifest struct {
	account             *corev1.ServiceAccount
	clusterRoles        map[string]*rbacv1.ClusterRole
	roles               map[string]*rbacv1.Role
	clusterRoleBindings []*rbacv1.ClusterRoleBinding
	roleBindings        []*rbacv1.RoleBinding
}

// readManifest reads a file, or builds a folder with kustomize as `kubectl apply -k` does. The path is relative to the
// checkout.
func readManifest(path string) (*manifest, error) {
	root, err := checkout.Root()
	if err != nil {
		return nil, err
	}
	content, err := contentOf(filepath.Join(root, path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	documents, err := documentsOf(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := &manifest{clusterRoles: map[string]*rbacv1.ClusterRole{}, roles: map[string]*rbacv1.Role{}}
	for _, document := range documents {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue // a custom resource, which is of no concern here
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		switch object := object.(type) {
		case *corev1.ServiceAccount:
			if m.account != nil {
				return nil, fmt.Errorf("%s holds more than one ServiceAccount", path)
			}
			m.account = object
		case *rbacv1.ClusterRole:
			m.clusterRoles[object.Name] = object
		case *rbacv1.Role:
			m.roles[object.Name] = object
		case *rbacv1.ClusterRoleBinding:
			m.clusterRoleBindings = append(m.clusterRoleBindings, object)
		case *rbacv1.RoleBinding:
			m.roleBindings = append(m.roleBindings, object)
		}
	}
	if m.account == nil || len(m.clusterRoles) == 0 {
		return nil, fmt.Errorf("%s must hold a ServiceAccount and a ClusterRole", path)
	}
	return m, nil
}

func contentOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return os.ReadFile(path)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		return nil, err
	}
	return built.AsYaml()
}

// documentsOf splits a manifest at its document separators.
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
		documents = append(documents, document)
	}
}
