package operator

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Manifest is what an operator's manifests say: the resources it is about, whom it runs as and what is bound to that.
type Manifest struct {
	CRDs                []*apiextensionsv1.CustomResourceDefinition
	account             *corev1.ServiceAccount
	clusterRoles        map[string]*rbacv1.ClusterRole
	roles               map[string]*rbacv1.Role
	clusterRoleBindings []*rbacv1.ClusterRoleBinding
	roleBindings        []*rbacv1.RoleBinding
}

// ReadManifest reads files of YAML, and folders: one for kustomize as `kubectl apply -k` builds it, any other file by file. What is
// neither a definition nor about whom the operator runs as is left out. The error names the path, and what is wrong there.
func ReadManifest(paths ...string) (*Manifest, error) {
	m := &Manifest{clusterRoles: map[string]*rbacv1.ClusterRole{}, roles: map[string]*rbacv1.Role{}}
	for _, path := range paths {
		if err := m.read(path); err != nil {
			return nil, err
		}
	}
	if m.account != nil && m.account.Namespace == "" {
		m.account.Namespace = m.namespaceOf(m.account.Name)
	}
	return m, nil
}

func (m *Manifest) read(path string) error {
	files, err := ManifestsIn(path)
	if err == nil && len(files) == 0 {
		err = errors.New("it has neither a kustomization nor a file of YAML: name the folder or the file that does")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, file := range files {
		content, err := contentOf(file)
		if err == nil {
			err = m.add(content)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
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

func (m *Manifest) add(content []byte) error {
	documents, err := documentsOf(content)
	if err != nil {
		return err
	}
	for _, document := range documents {
		var typed metav1.TypeMeta
		if err := yaml.Unmarshal(document, &typed); err != nil || typed.APIVersion == "" || typed.Kind == "" {
			return errors.New("it is no object of Kubernetes: give it an apiVersion and a kind")
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue // a custom resource, which is of no concern here
		}
		if err != nil {
			return err
		}
		switch object := object.(type) {
		case *apiextensionsv1.CustomResourceDefinition:
			m.CRDs = append(m.CRDs, object)
		case *corev1.ServiceAccount:
			if m.account != nil {
				return fmt.Errorf("ServiceAccount %s: there is %s already, and the operator can run as one only", object.Name, m.account.Name)
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
	return nil
}

// decoder reads what a manifest may hold: Kubernetes' own kinds, and definitions of others.
var decoder = func() runtime.Decoder {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(apiextensionsv1.AddToScheme(known))
	return serializer.NewCodecFactory(known).UniversalDeserializer()
}()

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

// documentsOf splits a manifest at its document separators. What has only comments in it, such as a licence, is no document.
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
		value, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("it is no valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if string(value) != "null" {
			documents = append(documents, document)
		}
	}
}
