package onelineperstage

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// web is the Fleet under experiment, db one beside it.
const (
	web = "web"
	db  = "db"
)

// bed is a cluster in which nothing but the operator moves: nobody runs the pods, so that they stay pending.
type bed struct {
	*lab.Bench
	cluster *cluster.Cluster
	running *cluster.Traced
}

func newBed(ctx context.Context, bench *lab.Bench) (_ *bed, err error) {
	b := &bed{Bench: bench}
	if b.cluster, err = cluster.Start(ctx, bench, cluster.Options{}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.cluster.Stop()
		}
	}()
	operator, err := b.cluster.Operator(ctx, "handwired")
	if err != nil {
		return nil, err
	}
	if b.running, err = operator.StartTraced(); err != nil {
		return nil, err
	}
	if err := b.createFleet(ctx, db, 1); err != nil {
		return nil, err
	}
	return b, b.running.Rest(ctx)
}

func (b *bed) createFleet(ctx context.Context, name string, replicas int32) error {
	fleets := b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace)
	_, err := fleets.Create(ctx, cluster.NewFleet(name, replicas), metav1.CreateOptions{})
	return err
}

func (b *bed) patchFleet(ctx context.Context, name, patch string) (*v1alpha1.Fleet, error) {
	return b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace).Patch(
		ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

// editPod edits one pod of a Fleet, in a way that changes nothing for the Fleet.
func (b *bed) editPod(ctx context.Context, fleet, note string) error {
	pods := b.cluster.Kube.CoreV1().Pods(cluster.Namespace)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=" + fleet})
	if err != nil {
		return err
	}
	_, err = pods.Patch(ctx, list.Items[0].Name, types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"note":"`+note+`"}}}`), metav1.PatchOptions{})
	return err
}
