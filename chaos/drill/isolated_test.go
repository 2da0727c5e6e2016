package drill

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/twinloop/shared/operator"
)

// asWanderer makes the test's executable an operator that ignores the kubeconfig that it is given.
const asWanderer = "wander"

// wander asks whatever clusters a process can find by itself, and creates a ConfigMap in the namespace of the first.
func wander() {
	found, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		panic(err)
	}
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "wandered-"}}
	namespace := os.Getenv("POD_NAMESPACE")
	client := kubernetes.NewForConfigOrDie(found)
	if _, err := client.CoreV1().ConfigMaps(namespace).Create(context.Background(), made, metav1.CreateOptions{}); err != nil {
		panic(err)
	}
	if atHome, err := clientcmd.BuildConfigFromFlags("", clientcmd.RecommendedHomeFile); err == nil {
		ask(atHome)
	}
	// As rest.InClusterConfig does, which asks for files besides that no test can put in their place.
	if host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"); host != "" {
		ask(&restclient.Config{Host: "https://" + net.JoinHostPort(host, port), TLSClientConfig: restclient.TLSClientConfig{Insecure: true}})
	}
	if inCluster, err := restclient.InClusterConfig(); err == nil {
		ask(inCluster)
	}
	select {}
}

func ask(config *restclient.Config) {
	version, err := kubernetes.NewForConfigOrDie(config).Discovery().ServerVersion()
	fmt.Println(config.Host, version, err)
}

// TestOperatorCannotReachTheCallersCluster though the environment of the drill names it in every way that there is.
func TestOperatorCannotReachTheCallersCluster(t *testing.T) {
	var asked atomic.Int32
	production := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"major":"1","minor":"0"}`)
	}))
	defer production.Close()
	home := t.TempDir()
	kubeconfig := filepath.Join(home, ".kube", "config")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "production",
		Clusters: map[string]*clientcmdapi.Cluster{"production": {
			Server: production.URL, CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: production.Certificate().Raw}),
		}},
		Contexts: map[string]*clientcmdapi.Context{"production": {Cluster: "production"}},
	}, kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(production.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "KUBECONFIG": kubeconfig, "KUBERNETES_SERVICE_HOST": server.Hostname(), "KUBERNETES_SERVICE_PORT": server.Port(),
		"KUBERNETES_MASTER": production.URL, "XDG_CONFIG_HOME": home,
	} {
		t.Setenv(name, value)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wanderer := program(t, executable)
	wanderer.Command = operator.Command{Program: executable, Args: []string{asWanderer, "--kubeconfig={{kubeconfig}}"}}
	report, err := Run(t.Context(), Options{Definition: parse(t, `
name: wander
observe: [configmaps]
timeout: 20s
faults: [before]
scenario:
- name: wander
  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: asked}}
  await: configmaps.exists(c, c.metadata.name.startsWith('wandered-'))
`), Subject: wanderer, ControlPlane: cp, Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Points) != 1 || report.Points[0].Verdict != Passed {
		t.Errorf("points %+v", report.Points)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the caller's cluster was asked %d times", n)
	}
}
