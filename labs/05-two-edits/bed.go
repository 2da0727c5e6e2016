package twoedits

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	typedfleetv1alpha1 "example.com/twinloop/shared/api/generated/clientset/versioned/typed/fleet/v1alpha1"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/zone/server"
)

const (
	web      = "web"
	zoneName = "fleet.test."
)

// bed is a cluster with a Fleet of three pods that is published in a zone, and the operator that keeps it.
type bed struct {
	*lab.Bench
	cluster *cluster.Cluster
	zone    *server.Server
	running *cluster.Traced
}

func newBed(ctx context.Context, bench *lab.Bench) (_ *bed, err error) {
	b := &bed{Bench: bench}
	if b.zone, err = server.New(server.Config{Zones: []string{zoneName}}); err != nil {
		return nil, err
	}
	if err := b.zone.Start(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.cluster, err = cluster.Start(ctx, bench, cluster.Options{Kubelet: &kubelet.Options{}}); err != nil {
		return nil, err
	}
	operator, err := b.cluster.Operator(ctx, "handwired")
	if err != nil {
		return nil, err
	}
	if b.running, err = operator.StartTraced("--dns-server=" + b.zone.Addr()); err != nil {
		return nil, err
	}
	f := cluster.NewFleet(web, 3)
	f.Spec.DNS = &v1alpha1.FleetDNS{Zone: zoneName}
	if _, err := b.fleets().Create(ctx, f, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return b, b.running.Rest(ctx)
}

func (b *bed) close() {
	if b.cluster != nil {
		b.cluster.Stop()
	}
	b.zone.Stop()
}

func (b *bed) fleets() typedfleetv1alpha1.FleetInterface {
	return b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace)
}

func (b *bed) pods() typedcorev1.PodInterface { return b.cluster.Kube.CoreV1().Pods(cluster.Namespace) }

func (b *bed) fleet(ctx context.Context) (*v1alpha1.Fleet, error) {
	return b.fleets().Get(ctx, web, metav1.GetOptions{})
}

// own are the Fleet's pods.
func (b *bed) own(ctx context.Context) ([]corev1.Pod, error) {
	f, err := b.fleet(ctx)
	if err != nil {
		return nil, err
	}
	all, err := b.pods().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var own []corev1.Pod
	for _, pod := range all.Items {
		if metav1.IsControlledBy(&pod, f) && pod.DeletionTimestamp == nil {
			own = append(own, pod)
		}
	}
	return own, nil
}

func (b *bed) anyPod(ctx context.Context) (string, error) {
	own, err := b.own(ctx)
	if err != nil {
		return "", err
	}
	return own[0].Name, nil
}

// wake makes the operator reconcile, by an annotation of the Fleet that means nothing to it.
func (b *bed) wake(ctx context.Context, why string) error {
	return patchFleet(`{"metadata":{"annotations":{"woken-after":"`+why+`"}}}`)(ctx, b, "")
}

// patchFleet and patchPod are edits by a merge patch (RFC 7386).
func patchFleet(patch string, subresources ...string) func(context.Context, *bed, string) error {
	return func(ctx context.Context, b *bed, _ string) error {
		_, err := b.fleets().Patch(ctx, web, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
		return err
	}
}

func patchPod(patch string) func(context.Context, *bed, string) error {
	return func(ctx context.Context, b *bed, pod string) error {
		_, err := b.pods().Patch(ctx, pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
}

// ofFleet and ofPod look at something of the Fleet, or of the pod that was edited.
func ofFleet(what func(*v1alpha1.Fleet) string) func(context.Context, *bed, string) (string, error) {
	return func(ctx context.Context, b *bed, _ string) (string, error) {
		f, err := b.fleet(ctx)
		if err != nil {
			return "", err
		}
		return what(f), nil
	}
}

func ofPod(what func(*corev1.Pod) string) func(context.Context, *bed, string) (string, error) {
	return func(ctx context.Context, b *bed, name string) (string, error) {
		pod, err := b.pods().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return "no such pod", nil
		}
		if err != nil {
			return "", err
		}
		return what(pod), nil
	}
}
