package controlplane_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// startAndHang makes the test binary a program that starts a control plane in the named folder and never stops it.
const startAndHang = "CONTROLPLANE_TEST_START_AND_HANG"

// cp has everything; tests of the lifecycle start others beside it.
var cp *controlplane.ControlPlane

func TestMain(m *testing.M) {
	if dir := os.Getenv(startAndHang); dir != "" {
		hang(dir)
	}
	controlplanetest.Main(m, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{widgets()},
		Controllers: controlplane.Housekeeping,
		Kubelet:     &kubelet.Options{},
	}, &cp)
}

func hang(dir string) {
	if _, err := controlplane.Start(context.Background(), controlplane.Options{Dir: dir}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// Two control planes run beside the package's own, share nothing, and the same folder serves twice.
func TestStartAndStop(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		var began []*controlplane.ControlPlane
		for _, dir := range []string{dir, ""} {
			c, err := controlplane.Start(t.Context(), controlplane.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			began = append(began, c)
			client := controlplanetest.Client(t, c)
			first := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "first"}}
			if _, err := client.CoreV1().Namespaces().Create(t.Context(), first, metav1.CreateOptions{}); err != nil {
				t.Errorf("not empty: %v", err)
			}
		}
		for _, c := range began {
			c.Stop()
			requireNoProcess(t, c.Dir())
		}
		if _, err := os.Stat(began[1].Dir()); !os.IsNotExist(err) {
			t.Errorf("the temporary folder is left: %v", err)
		}
	}
}

func TestStopWithOpenWatches(t *testing.T) {
	c, err := controlplane.Start(t.Context(), controlplane.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := controlplanetest.Client(t, c)
	for range 10 {
		watcher, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer watcher.Stop()
	}
	c.Stop()
	requireNoProcess(t, c.Dir())
}

func TestStartInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := controlplane.Start(ctx, controlplane.Options{Dir: dir})
		failed <- err
	}()
	await(t, "a program", func(context.Context) (bool, error) { return len(processesIn(t, dir)) > 0, nil })
	cancel()
	if err := <-failed; err == nil {
		t.Error("an interrupted start succeeded")
	}
	requireNoProcess(t, dir)
}

func TestParentKilled(t *testing.T) {
	dir := t.TempDir()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), startAndHang+"="+dir)
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 100)
	if n, _ := stdout.Read(answer); string(answer[:n]) != "ready\n" {
		t.Errorf("the parent said %q", answer[:n])
	}
	if n := len(processesIn(t, dir)); n != 2 {
		t.Errorf("%d programs before the kill, want etcd and kube-apiserver", n)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	await(t, "the end of the programs", func(context.Context) (bool, error) {
		return len(processesIn(t, dir)) == 0, nil
	})
}

func TestBadStart(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, test := range map[string]struct {
		opts controlplane.Options
		want string
	}{
		"port taken": {
			controlplane.Options{Port: listener.Addr().(*net.TCPAddr).Port},
			"address already in use; choose another",
		},
		"unknown controller": {
			controlplane.Options{Controllers: []string{"tea-controller"}},
			`"tea-controller\" is not in the list of known controllers`,
		},
		"no folder": {controlplane.Options{Dir: "/dev/null/x"}, "cannot make the control plane's folder"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := controlplane.Start(t.Context(), test.opts)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
		})
	}
}

func TestServiceAccountKubeconfig(t *testing.T) {
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	allowPods(t, client, namespace, "operator")
	content, err := cp.Kubeconfig(t.Context(), controlplane.Access{
		ServiceAccount: types.NamespacedName{Namespace: namespace, Name: "operator"},
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := clientcmd.NewClientConfigFromBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	if ns, _, _ := loaded.Namespace(); ns != namespace {
		t.Errorf("the default namespace is %q", ns)
	}
	config, err := loaded.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	restricted := kubernetes.NewForConfigOrDie(config)
	await(t, "the right to list pods", func(ctx context.Context) (bool, error) {
		_, err := restricted.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	_, err = restricted.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("listing secrets: %v", err)
	}
}

func allowPods(t *testing.T, client kubernetes.Interface, namespace, account string) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: account}
	_, err := client.CoreV1().ServiceAccounts(namespace).
		Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}}}}
	if _, err := client.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: account}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
	}
	if _, err := client.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestKubeconfigErrorsAndProxy(t *testing.T) {
	_, err := cp.Kubeconfig(t.Context(), controlplane.Access{
		ServiceAccount: types.NamespacedName{Namespace: "default", Name: "nobody"},
	})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a token for nobody: %v", err)
	}
	content, err := cp.Kubeconfig(t.Context(), controlplane.Access{Server: "https://proxy.test", CA: []byte("ca")})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(content)
	if err != nil {
		t.Fatal(err)
	}
	cluster := config.Clusters[config.Contexts[config.CurrentContext].Cluster]
	if cluster.Server != "https://proxy.test" || string(cluster.CertificateAuthorityData) != "ca" {
		t.Errorf("the kubeconfig leads to %s", cluster.Server)
	}
}

// The garbage collector knows the CRD from its start, not from its look every 30 s.
func TestGarbageCollection(t *testing.T) {
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	objects := dynamic.NewForConfigOrDie(cp.AdminConfig()).
		Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace(namespace)
	owner, err := objects.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "owner"},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dependent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "dependent",
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "example.com/v1", Kind: "Widget", Name: "owner", UID: owner.GetUID()}},
	}}
	maps := client.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(t.Context(), dependent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := objects.Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the dependent's end", func(ctx context.Context) (bool, error) {
		_, err := maps.Get(ctx, "dependent", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func TestNamespaceDeletion(t *testing.T) {
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	createPod(t, client, namespace, "a")
	if err := client.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the namespace's end", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func TestResourceQuota(t *testing.T) {
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	hard := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	if _, err := client.CoreV1().ResourceQuotas(namespace).Create(t.Context(), quota, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the quota's first count", func(ctx context.Context) (bool, error) {
		quota, err := client.CoreV1().ResourceQuotas(namespace).Get(ctx, "one", metav1.GetOptions{})
		return err == nil && len(quota.Status.Used) > 0, nil
	})
	createPod(t, client, namespace, "a")
	_, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod("b"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "exceeded quota") {
		t.Errorf("a pod beyond the quota: %v", err)
	}
}

func TestVersions(t *testing.T) {
	content, err := cp.Kubeconfig(t.Context(), controlplane.Access{})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), cp.Bin("kubectl"), "--kubeconfig", kubeconfig, "version", "-o", "json").
		Output()
	if err != nil {
		t.Fatal(err)
	}
	var versions struct {
		ClientVersion, ServerVersion struct{ GitVersion, Major, Minor string }
	}
	if err := json.Unmarshal(output, &versions); err != nil {
		t.Fatal(err)
	}
	server, want := versions.ServerVersion, pinned(t)
	if server != versions.ClientVersion || server.GitVersion != want || server.Major != "1" || server.Minor == "" {
		t.Errorf("kubectl version: %+v, want %s", versions, want)
	}
}

// pinned is the version in tools/controlplane/go.mod.
func pinned(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	cmd.Dir = filepath.Join("..", "..", "tools", "controlplane")
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

func TestWaitReportsAnEnd(t *testing.T) {
	c := controlplanetest.Start(t, controlplane.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx); err != nil {
		t.Errorf("Wait after its context: %v", err)
	}
	for _, pid := range processesIn(t, c.Dir()) {
		kill(t, pid, "etcd")
	}
	if err := c.Wait(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "etcd ended") {
		t.Errorf("Wait after etcd was killed: %v", err)
	}
}

func widgets() *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}
}

func createPod(t *testing.T, client kubernetes.Interface, namespace, name string) {
	t.Helper()
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod(name), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func await(t *testing.T, what string, condition wait.ConditionWithContextFunc) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, condition); err != nil {
		t.Fatalf("waited a minute for %s", what)
	}
}

func requireNoProcess(t *testing.T, dir string) {
	t.Helper()
	if left := processesIn(t, dir); len(left) > 0 {
		t.Errorf("processes left in %s: %v", dir, left)
	}
}
