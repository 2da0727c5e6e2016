package operator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	webs = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webs.example.com}
`
	account = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: system}
`
)

// folderOf is a folder with some files.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestManifestOfAFolder is what kustomize builds of one that is for it, and all there is in any other.
func TestManifestOfAFolder(t *testing.T) {
	for _, test := range []struct {
		name    string
		files   map[string]string
		crds    int
		account string
	}{
		{"of files", map[string]string{"a.yaml": webs, "b.yml": "# A licence.\n---" + account, "notes.txt": "none"}, 1, "web"},
		{"of two documents", map[string]string{"all.yaml": webs + "---" + account}, 1, "web"},
		{"for kustomize", map[string]string{"a.yaml": webs, "b.yaml": account, "kustomization.yaml": "{resources: [b.yaml], namePrefix: my-}"}, 0, "my-web"},
	} {
		m, err := ReadManifest(folderOf(t, test.files))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if len(m.CRDs) != test.crds || m.account == nil || m.account.Name != test.account {
			t.Errorf("%s: %d definitions and %+v", test.name, len(m.CRDs), m.account)
		}
	}
}

func TestBadManifestNamesTheFile(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"binary.yaml", "\x7fELF\x02\x00\x00", "it is no valid YAML: control characters are not allowed"},
		{"broken.yaml", "kind: [}", "it is no valid YAML: did not find expected node content"},
		{"text.yaml", "tea", "it is no object of Kubernetes: give it an apiVersion and a kind"},
		{"values.yaml", "replicas: 1", "it is no object of Kubernetes"},
		{"list.yaml", "- a", "it is no object of Kubernetes"},
	} {
		folder := folderOf(t, map[string]string{test.name: test.content})
		for _, path := range []string{folder, filepath.Join(folder, test.name)} {
			_, err := ReadManifest(path)
			if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(folder, test.name)+": "+test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want one line about the file with %q", path, err, test.want)
			}
		}
	}
	empty := t.TempDir()
	if _, err := ReadManifest(empty); err == nil || !strings.HasPrefix(err.Error(), empty+": it has neither a kustomization nor a file of YAML") {
		t.Errorf("of an empty folder: %v", err)
	}
}
