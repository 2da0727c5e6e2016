package operator

import (
	"os"
	"path/filepath"
	"slices"
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
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
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

// TestOlderRBAC is bound as that of v1 is: nobody works with an account that may do nothing.
func TestOlderRBAC(t *testing.T) {
	for _, version := range []string{"v1alpha1", "v1beta1", "v1"} {
		m, err := NewManifest(read(t, strings.ReplaceAll(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: op}
---
apiVersion: rbac.authorization.k8s.io/VERSION
kind: Role
metadata: {name: op}
rules: [{apiGroups: [example.com], resources: [things], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/VERSION
kind: RoleBinding
metadata: {name: op}
subjects: [{kind: ServiceAccount, name: op}]
roleRef: {kind: Role, name: op, apiGroup: rbac.authorization.k8s.io}
---
apiVersion: rbac.authorization.k8s.io/VERSION
kind: ClusterRole
metadata: {name: op}
---
apiVersion: rbac.authorization.k8s.io/VERSION
kind: ClusterRoleBinding
metadata: {name: op}
subjects: [{kind: ServiceAccount, name: op, namespace: system}]
roleRef: {kind: ClusterRole, name: op}
`, "VERSION", version)), Choice{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", version, err)
		case len(m.roles) != 1 || len(m.roles[0].Rules) != 1 || len(m.clusterRoles) != 1 || len(m.clusterRoleBindings) != 1 || len(m.roleBindings) != 1:
			t.Errorf("%s: %+v", version, m)
		case m.account.Namespace != "system" || m.roleBindings[0].Subjects[0].Namespace != "system":
			t.Errorf("%s: account %s, bound %v", version, m.account.Namespace, m.roleBindings[0].Subjects)
		}
	}
}

// TestSubjectWithoutANamespace is in that of its binding, as for the API server, or where the manifests have the account.
func TestSubjectWithoutANamespace(t *testing.T) {
	const accountAndBinding = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: op, namespace: system}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: op PLACE}, subjects: [{kind: ServiceAccount, name: op}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: op}, subjects: [{kind: ServiceAccount, name: op}]}
`
	for place, want := range map[string]string{"": "system", ", namespace: system": "system", ", namespace: other": "other"} {
		m, err := NewManifest(read(t, strings.Replace(accountAndBinding, " PLACE", place, 1)), Choice{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.roleBindings[0].Subjects[0].Namespace; got != want {
			t.Errorf("binding in %q: subject in %s, want %s", place, got, want)
		}
		if got := m.clusterRoleBindings[0].Subjects[0].Namespace; got != "system" {
			t.Errorf("binding in none: subject in %s", got)
		}
	}
}

const twoAccounts = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: controller, namespace: system}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: injector, namespace: system}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: injector, namespace: other}}
`

// runningAs is a workload of a kind and the account that it runs as.
func runningAs(kind, account string) string {
	return "\n---\n{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: " + strings.ToLower(kind) + "}, spec: {template: {spec: {serviceAccountName: " +
		account + "}}}}\n"
}

func TestChosenAccount(t *testing.T) {
	const several = "serviceAccount: name the one that the operator runs as: system/controller or system/injector or other/injector"
	for _, test := range []struct{ name, manifests, named, account, err string }{
		{"none", webs, "", "", ""},
		{"the only one", account, "", "system/web", ""},
		{"of several, none", twoAccounts, "", "", several},
		{"by its name", twoAccounts, "controller", "system/controller", ""},
		{"by its namespace, too", twoAccounts, "other/injector", "other/injector", ""},
		{"by a name of two", twoAccounts, "injector", "", several},
		{"by a name of none", twoAccounts, "webhook", "", several},
		{"by a name where there is none", webs, "web", "", "serviceAccount: operator.manifests hold no ServiceAccount, and so not web"},
		{"by the workload", twoAccounts + runningAs("Deployment", "controller"), "", "system/controller", ""},
		{"by two workloads", twoAccounts + runningAs("Deployment", "controller") + runningAs("DaemonSet", "controller"), "", "system/controller", ""},
		{"by two that differ", twoAccounts + runningAs("Deployment", "controller") + runningAs("StatefulSet", "injector"), "", "", several},
		{"by a workload of no account", twoAccounts + runningAs("Deployment", `""`), "", "", several},
		{"by another workload", twoAccounts + runningAs("ReplicaSet", "controller"), "", "", several},
	} {
		m, err := NewManifest(read(t, test.manifests), Choice{ServiceAccount: test.named})
		if err != nil || test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s: got %v, want %s", test.name, err, test.err)
			}
			continue
		}
		got := ""
		if m.account != nil {
			got = m.account.Namespace + "/" + m.account.Name
		}
		if got != test.account {
			t.Errorf("%s: it runs as %s, want %s", test.name, got, test.account)
		}
	}
}

func TestWorkloadsAreLeftOutAndTold(t *testing.T) {
	objects := read(t, runningAs("Deployment", "web")+runningAs("DaemonSet", "web")+`
---
{apiVersion: batch/v1, kind: Job, metadata: {name: migrate}}
---
{apiVersion: example.com/v1, kind: Job, metadata: {name: of-another-group}}
`)
	m, err := NewManifest(objects, Choice{LeaveOut: []string{"DaemonSet/daemonset"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"left out Deployment/deployment: the drill starts operator.command in place of workloads",
		"left out Job/migrate: the drill starts operator.command in place of workloads",
	}
	if !slices.Equal(m.Notices, want) || len(m.others) != 1 {
		t.Errorf("notices %q, want %q; others %v", m.Notices, want, m.others)
	}
	_, err = NewManifest(objects, Choice{LeaveOut: []string{"Job/migrate", "Job/other"}})
	if err == nil || err.Error() != "leaveOut[1]: operator.manifests hold no Job/other: name an object of theirs, as kind/name" {
		t.Errorf("got %v", err)
	}
}

// TestWhatAsksAServiceIsRefused unless it is left out.
func TestWhatAsksAServiceIsRefused(t *testing.T) {
	for _, test := range []struct{ name, object, want string }{
		{"ValidatingWebhookConfiguration/a", `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a},
			webhooks: [{clientConfig: {url: "https://127.0.0.1:1"}}, {clientConfig: {service: {namespace: system, name: hook}}}]}`,
			"webhooks[1] leads to the Service system/hook, where nothing answers in a drill: give its clientConfig a url, or leave it out by " +
				"operator.leaveOut: [ValidatingWebhookConfiguration/a]"},
		{"MutatingWebhookConfiguration/a", `{apiVersion: admissionregistration.k8s.io/v1beta1, kind: MutatingWebhookConfiguration, metadata: {name: a},
			webhooks: [{clientConfig: {service: {namespace: system, name: hook}}}]}`, "webhooks[0] leads to the Service system/hook"},
		{"APIService/v1.a", `{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a}, spec: {service: {namespace: system, name: api}}}`,
			"it leads to the Service system/api, where nothing answers in a drill: leave it out by operator.leaveOut: [APIService/v1.a]"},
		{"CustomResourceDefinition/a", `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}, spec: {conversion:
			{strategy: Webhook, webhook: {clientConfig: {service: {namespace: system, name: hook}}}}}}`, "its conversion leads to the Service system/hook"},
		{"CustomResourceDefinition/a", `{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: a}, spec: {conversion:
			{strategy: Webhook, webhookClientConfig: {service: {namespace: system, name: hook}}}}}`, "its conversion leads to the Service system/hook"},
	} {
		objects := read(t, test.object)
		_, err := NewManifest(objects, Choice{})
		if err == nil || !strings.HasPrefix(err.Error(), "manifests: all.yaml: "+test.name+": "+test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if _, err := NewManifest(objects, Choice{LeaveOut: []string{test.name}}); err != nil {
			t.Errorf("%s, left out: %v", test.name, err)
		}
	}
	const byURL = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a},
		webhooks: [{clientConfig: {url: "https://127.0.0.1:1"}}]}`
	if m, err := NewManifest(read(t, byURL), Choice{}); err != nil || len(m.others) != 1 {
		t.Errorf("by a url: %v", err)
	}
}
