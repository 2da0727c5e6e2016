package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
)

// Shape is a number of owners and the pods that each wants.
type Shape struct {
	Owners int `json:"owners"`
	Pods   int `json:"pods"` // of each
}

func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Owners, s.Pods) }

func (s Shape) total() int { return s.Owners * s.Pods }

var (
	// creationShapes are created by the operator and by the ReplicaSet controller in turn.
	creationShapes = []Shape{{1, 1000}, {100, 10}}
	// large is taken to convergence, with pods that become ready.
	large = Shape{100, 100}
)

// rounds is how often each creation is measured; the median counts.
const rounds = 5

// Creation compares how fast the pods of a shape are created, in pods a second.
type Creation struct {
	Shape      Shape   `json:"shape"`
	Operator   float64 `json:"operatorPodsPerSecond"`
	ReplicaSet float64 `json:"replicaSetPodsPerSecond"`
}

// Ratio is how many times as fast the operator is.
func (c Creation) Ratio() float64 { return c.Operator / c.ReplicaSet }

// Convergence is what it takes the operator to bring a shape up, with every pod ready.
type Convergence struct {
	Shape   Shape   `json:"shape"`
	Seconds float64 `json:"seconds"`
	// Calls are the requests that the operator sent, by method; PeakMemory is its largest resident set, in bytes.
	Calls      map[string]int `json:"calls"`
	PeakMemory int64          `json:"peakMemoryBytes"`
}

// Result is all that was measured of an operator.
type Result struct {
	Operator    string      `json:"operator"`
	Creations   []Creation  `json:"creations"`
	Convergence Convergence `json:"convergence"`
}

// bench is what the measurements share.
type bench struct {
	controlPlane *controlplane.ControlPlane
	kube         kubernetes.Interface
	fleets       versioned.Interface
	launch       operator.Launch
}

// Run measures an operator on a control plane of its own. Progress is told what is being measured.
func Run(ctx context.Context, subject operator.Operator, progress io.Writer) (*Result, error) {
	dir, err := os.MkdirTemp("", "twinloop-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := bench{launch: operator.Launch{
		Binary: filepath.Join(dir, subject.Name), Kubeconfig: filepath.Join(dir, "kubeconfig"), Log: io.Discard,
	}}
	fmt.Fprintf(progress, "building %s\n", subject.Name)
	if err := subject.Build(ctx, b.launch.Binary); err != nil {
		return nil, err
	}
	fmt.Fprintln(progress, "starting a control plane")
	b.controlPlane, err = controlplane.Start(ctx, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: append(slices.Clone(controlplane.Housekeeping), "replicaset-controller"),
		Progress:    progress,
	})
	if err != nil {
		return nil, err
	}
	defer b.controlPlane.Stop()
	if err := b.connect(ctx, subject); err != nil {
		return nil, err
	}

	result := &Result{Operator: subject.Name}
	for _, shape := range creationShapes {
		creation, err := b.compareCreation(ctx, shape, progress)
		if err != nil {
			return nil, fmt.Errorf("creating %s: %w", shape, err)
		}
		result.Creations = append(result.Creations, creation)
	}
	simulated, err := kubelet.Start(ctx, b.controlPlane.AdminConfig(), kubelet.Options{})
	if err != nil {
		return nil, err
	}
	defer simulated.Stop()
	fmt.Fprintf(progress, "bringing up %s\n", large)
	if result.Convergence, err = b.converge(ctx, large); err != nil {
		return nil, fmt.Errorf("bringing up %s: %w", large, err)
	}
	return result, nil
}

func (b *bench) connect(ctx context.Context, subject operator.Operator) (err error) {
	config := b.controlPlane.AdminConfig()
	if b.kube, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if b.fleets, err = versioned.NewForConfig(config); err != nil {
		return err
	}
	identity, err := subject.Install(ctx, b.kube)
	if err != nil {
		return err
	}
	if err := identity.BindEverywhere(ctx, b.kube); err != nil {
		return err
	}
	kubeconfig, err := b.controlPlane.Kubeconfig(ctx, controlplane.Access{ServiceAccount: identity.Account})
	if err != nil {
		return err
	}
	return os.WriteFile(b.launch.Kubeconfig, kubeconfig, 0o600)
}

// compareCreation measures the two in turns, so that whatever else the machine does hits both.
func (b *bench) compareCreation(ctx context.Context, shape Shape, progress io.Writer) (Creation, error) {
	var own, replicaSets []float64
	for round := range rounds {
		fmt.Fprintf(progress, "creating %s, round %d of %d\n", shape, round+1, rounds)
		rate, err := b.createWithReplicaSets(ctx, shape)
		if err != nil {
			return Creation{}, err
		}
		replicaSets = append(replicaSets, rate)
		if rate, err = b.createWithOperator(ctx, shape); err != nil {
			return Creation{}, err
		}
		own = append(own, rate)
	}
	return Creation{Shape: shape, Operator: median(own), ReplicaSet: median(replicaSets)}, nil
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func perSecond(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }
