package rosettastone

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// web is the Fleet.
const web = "web"

// bed is the cluster, the operator, and somebody who watches both.
type bed struct {
	*lab.Bench
	cluster  *cluster.Cluster
	operator *cluster.Operator
	running  *cluster.Traced
	observer *cluster.Observer
	// quarantined is the pod that got another label while the operator was dead.
	quarantined string
}

func newBed(ctx context.Context, bench *lab.Bench) (_ *bed, err error) {
	b := &bed{Bench: bench}
	beside := cluster.Options{Controllers: controlplane.Housekeeping, Kubelet: &kubelet.Options{}}
	if b.cluster, err = cluster.Start(ctx, bench, beside); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.cluster.Stop()
		}
	}()
	if b.operator, err = b.cluster.Operator(ctx, "handwired"); err != nil {
		return nil, err
	}
	if b.observer, err = b.cluster.Observe(ctx); err != nil {
		return nil, err
	}
	return b, b.start()
}

func (b *bed) start() (err error) {
	b.running, err = b.operator.StartTraced()
	return err
}

// step begins a part of the experiment, by whose name its writes are found.
func (b *bed) step(name, says string) {
	b.cluster.Proxy.Mark(name)
	b.Say("\n%s", says)
}

func (b *bed) writes(step string, kind proxy.Kind) int {
	return cluster.Count(b.cluster.Writes(step), kind)
}

// rest waits until nothing moves any more, and is the state then.
func (b *bed) rest(ctx context.Context) (cluster.State, error) {
	if err := b.running.Rest(ctx); err != nil {
		return cluster.State{}, err
	}
	pods, err := b.pods().List(ctx, metav1.ListOptions{})
	if err != nil {
		return cluster.State{}, err
	}
	state, err := b.observer.Await(ctx, "the observer to see it", func(s cluster.State) bool {
		return len(s.Pods) == len(pods.Items) && !slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool {
			return s.Pods[pod.Name] == nil || s.Pods[pod.Name].ResourceVersion != pod.ResourceVersion
		})
	})
	if err == nil {
		b.Say("  now %s", strings.Join(describe(state), ", "))
	}
	return state, err
}

// describe is every pod, and whose it is.
func describe(s cluster.State) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Pods)) {
		owner := "nobody's"
		if controller := metav1.GetControllerOf(s.Pods[name]); controller != nil {
			owner = controller.Name + "'s"
		}
		all = append(all, name+" ("+owner+")")
	}
	return all
}

// kept is how many names are in both of two lists.
func kept(before, after []string) int {
	n := 0
	for _, name := range before {
		if slices.Contains(after, name) {
			n++
		}
	}
	return n
}

func (b *bed) pods() typedcorev1.PodInterface { return b.cluster.Kube.CoreV1().Pods(cluster.Namespace) }
