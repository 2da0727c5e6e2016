package controlplane

import (
	"fmt"
	"strings"
)

// The files in the control plane's folder, to which the programs' arguments are relative.
const (
	etcdData    = "etcd"
	certFile    = "serving.crt"
	keyFile     = "serving.key"
	signingKey  = "serviceaccount.key"
	tokenFile   = "tokens.csv"
	adminConfig = "kubeconfig"
)

// advertised is where the API server says that it can be reached. Nobody goes there: nothing makes endpoints of it. But
// without one it looks for the address of the default route, and a laptop without a network has none; loopback it refuses.
// This one is of a network that exists only in documentation (RFC 5737), as the simulated Node's is.
const advertised = "192.0.2.1"

// etcdArgs: data that is thrown away needs no fsync, and with one member there is nobody to elect.
func etcdArgs(port int) []string {
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	return []string{
		"--data-dir=" + etcdData,
		"--listen-client-urls=" + url,
		"--advertise-client-urls=" + url,
		"--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync",
		"--quota-backend-bytes=4294967296",
		"--log-level=warn",
	}
}

// apiserverArgs: every user is told by a bearer token, so that a proxy can stand between without holding a key. The
// ServiceAccount admission plugin is off as in envtest: it refuses pods until a controller has made an account.
// Fair queueing gives way to plain limits that ten thousand pods do not reach.
func apiserverArgs(port, etcdPort int) []string {
	return []string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", etcdPort),
		"--bind-address=127.0.0.1",
		"--advertise-address=" + advertised,
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + certFile,
		"--tls-private-key-file=" + keyFile,
		"--token-auth-file=" + tokenFile,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + signingKey,
		"--service-account-signing-key-file=" + signingKey,
		"--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--endpoint-reconciler-type=none",
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=2000",
		"--max-mutating-requests-inflight=1000",
		"--profiling=false",
	}
}

// managerArgs: one manager needs no lease, and no throttle of its own. Each of its controllers has a ServiceAccount, as
// kubeadm has it: what it does is authorized like what an operator does.
func managerArgs(port int, controllers []string) []string {
	return []string{
		"--kubeconfig=" + adminConfig,
		"--controllers=" + strings.Join(controllers, ","),
		"--leader-elect=false",
		"--use-service-account-credentials",
		"--kube-api-qps=5000",
		"--kube-api-burst=10000",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + certFile,
		"--tls-private-key-file=" + keyFile,
		"--authentication-skip-lookup",
		"--profiling=false",
	}
}
