package drill

import (
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
)

// Subject is the operator that is drilled: an executable that knows nothing of it.
type Subject struct {
	// Name is what reports call it.
	Name string
	// Command starts it.
	Command operator.Command
	// Identity is whom it runs as.
	Identity operator.Identity
	// ClusterWide is set for one that cannot be told to work in one namespace only. Its runs cannot be held at the same time.
	ClusterWide bool
}

// access is a kubeconfig for the subject that leads through a proxy.
func (s Subject) access(server string, ca []byte, namespace string) controlplane.Access {
	return controlplane.Access{ServiceAccount: s.Identity.Account, Namespace: namespace, Server: server, CA: ca}
}
