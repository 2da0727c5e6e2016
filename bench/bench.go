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
	"example.com/twinloop/shared/process/scratch"
)

// Shape is a number of owners and the pods that each wants.
type Shape struct {
	Owners int `json:"owners"`
	Pods   int `json:"pods"` // of each
}

func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Owners, s.Pods) }

func (s Shape) total() int { return s.Owners * s.Pods }

var (
	// creationShapes are created by the operators and by the ReplicaSet controller in turn.
	creationShapes = []Shape{{1, 1000}, {100, 10}}
	// convergenceShapes are brought up by each operator alone, with pods that become ready.
	convergenceShapes = []Shape{{100, 10}, {100, 100}}
)

// rounds is how often a creation and a start are measured; the median counts.
const rounds = 5

// Creation is how fast the pods of a shape were created, in pods a second.
type Creation struct {
	Shape Shape `json:"shape"`
	// Operators are by name; ReplicaSet is kube-controller-manager's controller.
	Operators  map[string]float64 `json:"podsPerSecond"`
	ReplicaSet float64            `json:"replicaSetPodsPerSecond"`
}

// Convergence is what it takes an operator to bring a shape up, with every pod ready.
type Convergence struct {
	Shape   Shape   `json:"shape"`
	Seconds float64 `json:"seconds"`
	// Calls are the requests that the operator sent, by method; PeakMemory is its largest resident set, in bytes.
	Calls      map[string]int `json:"calls"`
	PeakMemory int64          `json:"peakMemoryBytes"`
}

func (c Convergence) calls() int {
	calls := 0
	for _, n := range c.Calls {
		calls += n
	}
	return calls
}

// Cost is what was measured of an operator alone.
type Cost struct {
	Operator     string        `json:"operator"`
	Convergences []Convergence `json:"convergences"`
	// FirstWrite is the time from the start of the process to the pod of a Fleet that was waiting for it, in seconds.
	FirstWrite float64 `json:"secondsToFirstPod"`
	// Binary is the size of the executable without debugging information, in bytes.
	Binary int64 `json:"binaryBytes"`
}

// Result is all that was measured.
type Result struct {
	Creations []Creation `json:"creations"`
	Costs     []Cost     `json:"costs"`
}

// bench is what the measurements share.
type bench struct {
	controlPlane *controlplane.ControlPlane
	kube         kubernetes.Interface
	fleets       versioned.Interface
	// launches start the operators, by name.
	launches map[string]operator.Launch
}

// Run measures operators on a control plane of its own. Progress is told what is being measured.
func Run(ctx context.Context, subjects []operator.Operator, progress io.Writer) (*Result, error) {
	folder, err := scratch.New("bench")
	if err != nil {
		return nil, err
	}
	defer folder.Remove()
	b := bench{launches: map[string]operator.Launch{}}
	for _, subject := range subjects {
		fmt.Fprintf(progress, "building %s\n", subject.Name)
		launch := operator.Launch{
			Binary:     filepath.Join(folder.Path, subject.Name),
			Kubeconfig: filepath.Join(folder.Path, subject.Name+".kubeconfig"),
			Log:        io.Discard,
		}
		if err := subject.Build(ctx, launch.Binary); err != nil {
			return nil, err
		}
		b.launches[subject.Name] = launch
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
	if err := b.connect(ctx, subjects); err != nil {
		return nil, err
	}

	result := &Result{}
	for _, shape := range creationShapes {
		creation, err := b.compareCreation(ctx, subjects, shape, progress)
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
	for _, subject := range subjects {
		cost, err := b.measureCost(ctx, subject, progress)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subject.Name, err)
		}
		result.Costs = append(result.Costs, cost)
	}
	return result, nil
}

func (b *bench) connect(ctx context.Context, subjects []operator.Operator) (err error) {
	config := b.controlPlane.AdminConfig()
	if b.kube, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if b.fleets, err = versioned.NewForConfig(config); err != nil {
		return err
	}
	for _, subject := range subjects {
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
		if err := os.WriteFile(b.launches[subject.Name].Kubeconfig, kubeconfig, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// compareCreation measures all in turns, so that whatever else the machine does hits each of them.
func (b *bench) compareCreation(
	ctx context.Context, subjects []operator.Operator, shape Shape, progress io.Writer,
) (Creation, error) {
	var replicaSets []float64
	own := map[string][]float64{}
	for round := range rounds {
		fmt.Fprintf(progress, "creating %s, round %d of %d\n", shape, round+1, rounds)
		rate, err := b.createWithReplicaSets(ctx, shape)
		if err != nil {
			return Creation{}, err
		}
		replicaSets = append(replicaSets, rate)
		for _, subject := range subjects {
			if rate, err = b.createWithOperator(ctx, subject, shape); err != nil {
				return Creation{}, err
			}
			own[subject.Name] = append(own[subject.Name], rate)
		}
	}
	creation := Creation{Shape: shape, Operators: map[string]float64{}, ReplicaSet: median(replicaSets)}
	for name, rates := range own {
		creation.Operators[name] = median(rates)
	}
	return creation, nil
}

func (b *bench) measureCost(ctx context.Context, subject operator.Operator, progress io.Writer) (Cost, error) {
	cost := Cost{Operator: subject.Name}
	binary, err := os.Stat(b.launches[subject.Name].Binary)
	if err != nil {
		return cost, err
	}
	cost.Binary = binary.Size()
	var firstWrites []float64
	for range rounds {
		seconds, err := b.timeFirstWrite(ctx, subject)
		if err != nil {
			return cost, err
		}
		firstWrites = append(firstWrites, seconds)
	}
	cost.FirstWrite = median(firstWrites)
	for _, shape := range convergenceShapes {
		fmt.Fprintf(progress, "%s brings up %s\n", subject.Name, shape)
		convergence, err := b.converge(ctx, subject, shape)
		if err != nil {
			return cost, fmt.Errorf("bringing up %s: %w", shape, err)
		}
		cost.Convergences = append(cost.Convergences, convergence)
	}
	return cost, nil
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func perSecond(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }
