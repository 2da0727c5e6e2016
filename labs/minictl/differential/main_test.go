// Package differential compares minictl with what it is modelled on: the Deployment and the ReplicaSet controller, and
// kubectl, of Kubernetes itself.
package differential

import (
	"testing"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

var cp *controlplane.ControlPlane

// There is no kubelet: pods become ready when a test says so, and not before the controllers are at rest.
func TestMain(m *testing.M) {
	controllers := []string{"deployment-controller", "replicaset-controller"}
	controlplanetest.Main(m, controlplane.Options{Controllers: controllers}, &cp)
}
