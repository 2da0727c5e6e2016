package suite

import (
	"flag"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// parallel is how many tests, and so operators, run at once unless -parallel says otherwise: a test mostly waits, so it
// is more than there are processors.
const parallel = "8"

// patience is how long a test waits for what must happen. It is spent only by a test that fails.
const patience = 60 * time.Second

// cp is the control plane of all tests. Pods are ready at once, and take a moment to end.
var cp *controlplane.ControlPlane

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	controlplanetest.Main(m, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: controlplane.Housekeeping,
		Kubelet:     &kubelet.Options{TerminateAfter: 100 * time.Millisecond},
	}, &cp)
}
