package operator

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read returns the objects of a text.
func read(t *testing.T, content string) []Object {
	t.Helper()
	objects, err := text{"all.yaml", []byte(content)}.objects()
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// named returns the kinds and names of some objects.
func named(objects []Object) []string {
	var names []string
	for _, object := range objects {
		names = append(names, object.GetAPIVersion()+" "+object.String())
	}
	return names
}

func TestListsAreOpened(t *testing.T) {
	for _, test := range []struct {
		name, content string
		want          []string
	}{
		{"as kubectl writes it", `{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}},
			{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}]}`, []string{"v1 ServiceAccount/a", "v1 ConfigMap/b"}},
		{"of one kind", `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleList, items: [{metadata: {name: a}}]}`,
			[]string{"rbac.authorization.k8s.io/v1 Role/a"}},
		{"in a list", `{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: SecretList, items: [{metadata: {name: a}}]}]}`,
			[]string{"v1 Secret/a"}},
		{"without items", `{apiVersion: v1, kind: List, items: []}`, nil},
		{"of another sense", `{apiVersion: example.com/v1, kind: Shopping, metadata: {name: a}, items: [{name: tea}]}`,
			[]string{"example.com/v1 Shopping/a"}},
	} {
		if difference := cmp.Diff(test.want, named(read(t, test.content))); difference != "" {
			t.Errorf("%s: - want, + got\n%s", test.name, difference)
		}
	}
}

func TestListOfWhatIsNoObject(t *testing.T) {
	for content, want := range map[string]string{
		"{apiVersion: v1, kind: List, items: [tea]}":                             "List: items[0]: it is no object of Kubernetes",
		"{apiVersion: v1, kind: List, items: [{metadata: {name: a}}]}":           "List: items[0]: it is no object of Kubernetes",
		"{apiVersion: v1, kind: ConfigMap, metadata: {generateName: settings-}}": "ConfigMap: metadata.name: give it one",
	} {
		if _, err := (text{"all.yaml", []byte(content)}).objects(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", content, err, want)
		}
	}
}

// TestWhatAnAPIServerSaysOfAnObject would have another refuse it.
func TestWhatAnAPIServerSaysOfAnObject(t *testing.T) {
	object := read(t, `
apiVersion: v1
kind: ServiceAccount
metadata: {name: a, labels: {app: web}, uid: 1, resourceVersion: "7", generation: 2, creationTimestamp: null, managedFields: [{}],
  ownerReferences: [{kind: Owner, name: of-another-cluster}]}
status: {}
`)[0]
	want := map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{
		"name": "a", "labels": map[string]any{"app": "web"},
	}}
	if difference := cmp.Diff(want, object.Object); difference != "" {
		t.Errorf("- want, + got\n%s", difference)
	}
}

const chartOfWebs = `
apiVersion: v2
name: webs
version: 1.0.0
`

// chartFiles are those of a chart with everything that a chart may have.
var chartFiles = map[string]string{
	"Chart.yaml":             chartOfWebs,
	"values.yaml":            "mode: strict\n",
	"crds/webs.yaml":         webs,
	"templates/_helpers.tpl": `{{ define "name" }}{{ .Release.Name }}-settings{{ end }}`,
	"templates/NOTES.txt":    "Thank you for {{ .Chart.Name }}.\n",
	"templates/settings.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ include "name" . }}, namespace: {{ .Release.Namespace }}}
data: {mode: {{ .Values.mode }}}
`,
	"templates/nothing.yaml": "{{ if .Values.more }}\nkind: More\n{{ end }}",
	"templates/test.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: test, annotations: {helm.sh/hook: test}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: before, annotations: {helm.sh/hook: "pre-install,pre-upgrade"}}
`,
}

func TestChart(t *testing.T) {
	folder := folderOf(t, chartFiles)
	objects, err := ReadObjects("mine", folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"apiextensions.k8s.io/v1 CustomResourceDefinition/webs.example.com", "v1 ConfigMap/mine-settings", "v1 ConfigMap/test",
		"v1 ServiceAccount/before"}
	if difference := cmp.Diff(want, named(objects)); difference != "" {
		t.Fatalf("- want, + got\n%s", difference)
	}
	if file, data := objects[1].File, objects[1].Object["data"]; file != filepath.Join(folder, "templates", "settings.yaml") ||
		!cmp.Equal(data, map[string]any{"mode": "strict"}) || objects[1].GetNamespace() != "default" {
		t.Errorf("%s has %v in %s", file, data, objects[1].GetNamespace())
	}
	manifest, err := NewManifest(objects, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"left out ConfigMap/test: its chart has it for another time than the installation (test)"}; !slices.Equal(manifest.Notices, want) {
		t.Errorf("notices %q, want %q", manifest.Notices, want)
	}
}

func TestChartThatCannotBeRendered(t *testing.T) {
	of := func(name, content string) string {
		files := map[string]string{"Chart.yaml": chartOfWebs, "templates/_helpers.tpl": ""}
		files[name] = content
		return folderOf(t, files)
	}
	templates := filepath.Join(of("templates/a.yaml", "{{"), "templates")
	for _, test := range []struct{ path, want string }{
		{of("templates/a.yaml", "{{ .Values.a.b }}"), "rendering Helm chart: "},
		{of("Chart.yaml", "name: webs"), "loading Helm chart: "},
		{of("Chart.yaml", chartOfWebs+"dependencies: [{name: redis, version: 1.0.0}]"),
			"the charts that it depends on are not there: redis: run `helm dependency build` in it"},
		{templates, "it holds templates of a Helm chart: name the chart's folder, " + filepath.Dir(templates)},
		{filepath.Join(templates, "a.yaml"), "it holds templates of a Helm chart: name the chart's folder, " + filepath.Dir(templates)},
	} {
		_, err := ReadObjects("mine", test.path)
		if err == nil || !strings.HasPrefix(err.Error(), test.path+": "+test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", test.path, err, test.want)
		}
	}
}
