package operator

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

const everything = `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: all}, webhooks: [{name: all.example.com,
  admissionReviewVersions: [v1], sideEffects: None, failurePolicy: Fail, clientConfig: {url: "https://127.0.0.1:1/refuse"},
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps, secrets]}]}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: elsewhere}, data: {mode: strict}}
---
{apiVersion: v1, kind: Secret, metadata: {name: own}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: labelled, labels: {app: web}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: op, namespace: system}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: beside, namespace: system}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: op}, spec: {template: {spec: {serviceAccountName: op}}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/none, allowVolumeExpansion: true}
---
{apiVersion: v1, kind: Service, metadata: {name: metrics}, spec: {ports: [{port: 80}]}}
---
{apiVersion: example.com/v1, kind: Thing, metadata: {name: first}, spec: {size: 1, unknown: kept}}
`

// TestManifestIsApplied to an API server, to the last object.
func TestManifestIsApplied(t *testing.T) {
	manifest, err := NewManifest(read(t, everything+"---"+things(`  version: v1
  validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`)), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	cp := controlplanetest.Start(t, controlplane.Options{CRDs: manifest.CRDs})
	client := controlplanetest.Client(t, cp)
	for range 2 { // as where several drills are run
		identity, err := manifest.Install(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		if got := identity.String(); got != "ServiceAccount system/op" {
			t.Errorf("it runs as %s", got)
		}
	}
	if err := manifest.Apply(t.Context(), cp.AdminConfig()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/api/v1/namespaces/elsewhere/configmaps/settings", "/api/v1/namespaces/system/secrets/own", "/api/v1/namespaces/labelled",
		"/api/v1/namespaces/system/serviceaccounts/beside", "/apis/scheduling.k8s.io/v1/priorityclasses/high",
		"/apis/storage.k8s.io/v1/storageclasses/fast", "/api/v1/namespaces/system/services/metrics",
		"/apis/example.com/v1/namespaces/system/things/first",
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/all",
	} {
		if _, err := client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(t.Context()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	first, err := client.CoreV1().RESTClient().Get().AbsPath("/apis/example.com/v1/namespaces/system/things/first").DoRaw(t.Context())
	if err != nil || !strings.Contains(string(first), `"unknown":"kept"`) {
		t.Errorf("a field that the definition does not know is lost: %s, %v", first, err)
	}
	for _, test := range []struct{ object, want string }{
		{`{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: a}}`,
			"all.yaml: ServiceMonitor/a: the API server does not serve ServiceMonitor of monitoring.coreos.com/v1: add its " +
				"CustomResourceDefinition to operator.manifests, or leave it out by operator.leaveOut: [ServiceMonitor/a]"},
		{`{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}}`, "all.yaml: PodDisruptionBudget/a: the API server does not " +
			"serve PodDisruptionBudget of policy/v1beta1: write it in policy/v1, or leave it out by operator.leaveOut: [PodDisruptionBudget/a]"},
		{`{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: a}}`, "all.yaml: Ingress/a: the API server does not serve Ingress of " +
			"extensions/v1beta1: write it in networking.k8s.io/v1, or leave it out"},
		{`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: none}}`, "all.yaml: StorageClass/none: applying: "},
	} {
		refused, err := NewManifest(read(t, test.object), Choice{})
		if err == nil {
			err = refused.Apply(t.Context(), cp.AdminConfig())
		}
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.object, err, test.want)
		}
	}
	t.Run("bound", func(t *testing.T) { testBoundInOneNamespace(t, client) })
}

const ofOneName = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: bound, namespace: system}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: bound}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: bound}, roleRef: {kind: ClusterRole, name: bound},
  subjects: [{kind: ServiceAccount, name: bound, namespace: system}]}
---
{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: Role, metadata: {name: bound, namespace: system}}
---
{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: RoleBinding, metadata: {name: bound, namespace: system}, roleRef: {kind: Role, name: bound},
  subjects: [{kind: ServiceAccount, name: bound}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: bound, namespace: kube-system}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: bound, namespace: kube-system}, roleRef: {kind: Role, name: bound},
  subjects: [{kind: ServiceAccount, name: bound, namespace: system}]}
`

// testBoundInOneNamespace binds all that is bound to an account somewhere, though it is all of one name.
func testBoundInOneNamespace(t *testing.T, client kubernetes.Interface) {
	manifest, err := NewManifest(read(t, ofOneName), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := manifest.Install(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	namespace := controlplanetest.Namespace(t, client)
	if err := identity.Bind(t.Context(), client, namespace); err != nil {
		t.Fatal(err)
	}
	bindings, err := client.RbacV1().RoleBindings(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, binding := range bindings.Items {
		roles = append(roles, binding.RoleRef.Kind+" "+binding.RoleRef.Name)
		if s := binding.Subjects; len(s) != 1 || s[0].Name != "bound" || s[0].Namespace != "system" {
			t.Errorf("%s is bound to %v", binding.Name, s)
		}
	}
	want := []string{"ClusterRole bound", "Role namespace:kube-system:bound", "Role namespace:system:bound"}
	if slices.Sort(roles); !slices.Equal(roles, want) {
		t.Errorf("bound: %q, want %q", roles, want)
	}
	for _, role := range want[1:] {
		if _, err := client.RbacV1().Roles(namespace).Get(t.Context(), strings.TrimPrefix(role, "Role "), metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
}

func TestServedVersion(t *testing.T) {
	group := func(name, version string, kinds ...string) *restmapper.APIGroupResources {
		var resources []metav1.APIResource
		for _, kind := range kinds {
			resources = append(resources, metav1.APIResource{Kind: kind})
		}
		groupVersion := schema.GroupVersion{Group: name, Version: version}.String()
		return &restmapper.APIGroupResources{
			Group:              metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: groupVersion, Version: version}}},
			VersionedResources: map[string][]metav1.APIResource{version: resources},
		}
	}
	served := []*restmapper.APIGroupResources{
		group("", "v1", "Event", "Pod"), group("events.k8s.io", "v1", "Event"), group("networking.k8s.io", "v1", "Ingress"),
		group("example.com", "v2", "Thing", "Ingress"),
	}
	for _, test := range []struct{ group, kind, want string }{
		{"events.k8s.io", "Event", "events.k8s.io/v1"},
		{"extensions", "Ingress", "networking.k8s.io/v1"},
		{"example.com", "Thing", "example.com/v2"},
		{"example.com", "Pod", ""},
		{"other.example.com", "Ingress", ""},
		{"", "Nothing", ""},
	} {
		kind := schema.GroupVersionKind{Group: test.group, Version: "v0", Kind: test.kind}
		if got := servedVersion(kind, served); got != test.want {
			t.Errorf("%s is served in %q, want %q", kind, got, test.want)
		}
	}
}
