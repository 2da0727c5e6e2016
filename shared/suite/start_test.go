package suite

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/operator"
)

// An operator that is started wrongly says in one line what to mend, and ends with exit status 2.

func TestBadFlags(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		namespace := emptyWorld(t, s).namespace
		taken := listen(t)
		nowhere := writeKubeconfig(t, func(config *clientcmdapi.Config) {
			for _, cluster := range config.Clusters {
				cluster.Server = "https://" + freePort(t)
			}
		})
		stranger := writeKubeconfig(t, func(config *clientcmdapi.Config) {
			for _, user := range config.AuthInfos {
				user.Token = "unheard-of"
			}
		})
		garbage := filepath.Join(t.TempDir(), "garbage")
		if err := os.WriteFile(garbage, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		const dnsServer, lease = "--dns-server=127.0.0.1:53", "--leader-elect-lease-duration"
		for _, c := range []struct{ args, says []string }{
			{[]string{"--namespaces=x"}, []string{"-namespaces"}},
			{[]string{"start"}, []string{`"start"`}},
			{[]string{"--concurrency=many"}, []string{"-concurrency", "many"}},
			{[]string{"--concurrency=0"}, []string{"--concurrency", "at least 1"}},

			{[]string{"--kubeconfig=/nonexistent/kubeconfig"}, []string{"--kubeconfig", "/nonexistent/kubeconfig"}},
			{[]string{"--kubeconfig=" + garbage}, []string{"--kubeconfig", garbage}},
			{[]string{"--kubeconfig=" + nowhere}, []string{"--kubeconfig", "no API server answers"}},
			{[]string{"--kubeconfig=" + stranger}, []string{"--kubeconfig", "does not accept these credentials"}},

			{[]string{"--dns-server=127.0.0.1"}, []string{"--dns-server", "host:port"}},
			{[]string{"--dns-tsig-file=" + garbage}, []string{"--dns-tsig-file", "--dns-server"}},
			{[]string{dnsServer, "--dns-tsig-file=/nonexistent/key"}, []string{"--dns-tsig-file", "/nonexistent/key"}},
			{[]string{dnsServer, "--dns-tsig-file=" + garbage}, []string{"--dns-tsig-file", garbage}},

			{append(elected, lease+"=40s"), []string{lease}},
			{append(elected, lease+"=900ms"), []string{lease, "at least 1s"}},
			{append(elected, "--leader-elect-retry-period=50s"), []string{"--leader-elect-retry-period"}},

			{[]string{"--health-probe-bind-address=" + taken}, []string{"--health-probe-bind-address", "in use"}},
			{[]string{"--metrics-bind-address=" + taken}, []string{"--metrics-bind-address", "in use"}},
		} {
			t.Run(strings.Join(c.args, " "), func(t *testing.T) { startsNot(t, s, s.kubeconfig, namespace, c.args, c.says...) })
		}
	})
}

// An API server without the CustomResourceDefinition serves no Fleets.
func TestNoCRD(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		bare := controlplanetest.Start(t, controlplane.Options{})
		identity := must[operator.Identity](t)(s.Install(t.Context(), controlplanetest.Client(t, bare)))
		config := must[[]byte](t)(bare.Kubeconfig(t.Context(), controlplane.Access{ServiceAccount: identity.Account}))
		file := filepath.Join(t.TempDir(), "kubeconfig")
		if err := os.WriteFile(file, config, 0o600); err != nil {
			t.Fatal(err)
		}
		startsNot(t, s, file, "", nil, "does not serve fleet.twinloop.example.com/v1alpha1", "CustomResourceDefinition")
	})
}

// startsNot starts the operator and expects it to end with one line that has all the parts, and with exit status 2.
func startsNot(t *testing.T, s subject, kubeconfig, namespace string, args []string, says ...string) {
	t.Helper()
	log := &processLog{changed: newBell()}
	r, err := operator.Launch{Binary: s.binary, Kubeconfig: kubeconfig, Namespace: namespace, Args: args, Log: log}.Start()
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Exited():
	case <-time.After(patience):
		r.Kill()
		t.Fatalf("started:\n%s", log.tail())
	}
	log.check(t)
	if status := exitStatus(r.Err()); status != 2 {
		t.Errorf("exit status %d, not 2", status)
	}
	text := log.String()
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if strings.Count("\n"+text, "\nerror: ") != 1 || !strings.HasPrefix(lines[len(lines)-1], "error: ") {
		t.Errorf("not one line that begins with error:, after whatever was logged:\n%s", text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Errorf("the message does not say %q: %s", part, text)
		}
	}
}

// writeKubeconfig writes the administrator's kubeconfig with a change, and returns the file's name.
func writeKubeconfig(t *testing.T, change func(*clientcmdapi.Config)) string {
	t.Helper()
	content := must[[]byte](t)(cp.Kubeconfig(t.Context(), controlplane.Access{}))
	config := must[*clientcmdapi.Config](t)(clientcmd.Load(content))
	change(config)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// listen takes a port on loopback until the test ends.
func listen(t *testing.T) (address string) {
	t.Helper()
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().String()
}
