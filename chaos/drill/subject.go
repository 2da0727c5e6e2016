package drill

import (
	"io"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process"
)

// Subject is the operator that is drilled: an executable that knows nothing of it.
type Subject struct {
	// Name is what reports call it.
	Name string
	// Binary is its executable.
	Binary string
	// Identity is whom it runs as.
	Identity operator.Identity
}

// access is a kubeconfig for the subject that leads through a proxy.
func (s Subject) access(server string, ca []byte, namespace string) controlplane.Access {
	return controlplane.Access{ServiceAccount: s.Identity.Account, Namespace: namespace, Server: server, CA: ca}
}

// start starts one process of the subject. It works alone, without leader election: who waits for a Lease is the
// failover drill's business.
func (s Subject) start(kubeconfig, namespace, dnsServer string, log io.Writer) (*process.Process, error) {
	return operator.Launch{
		Binary: s.Binary, Kubeconfig: kubeconfig, Namespace: namespace, DNSServer: dnsServer, Log: log,
	}.Start()
}
