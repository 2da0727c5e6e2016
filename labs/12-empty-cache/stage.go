package emptycache

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/slowstart"
)

// What the proxy holds of a controller's watches.
var (
	fleets = proxy.Watched{Resource: "fleets"}
	pods   = proxy.Watched{Resource: "pods"}
)

const (
	fleetName = "web"
	many      = 50
)

// stage is a namespace for one part of the experiment. What it does itself leads straight to the API server.
type stage struct {
	*cluster.Cluster
	namespace string
}

func newStage(ctx context.Context, c *cluster.Cluster, namespace string) (*stage, error) {
	c.Proxy.Mark(namespace)
	_, err := c.Kube.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	return &stage{c, namespace}, err
}

// newFullStage has a Fleet, and all of its pods.
func newFullStage(ctx context.Context, c *cluster.Cluster, namespace string) (*stage, error) {
	s, err := newStage(ctx, c, namespace)
	if err != nil {
		return nil, err
	}
	fleet, err := s.createFleet(ctx, many)
	if err != nil {
		return nil, err
	}
	names := numbered(fleet, nil)
	_, err = slowstart.Together(len(names), func(n int) error {
		_, err := s.Kube.CoreV1().Pods(namespace).Create(ctx, podOf(fleet, names[n]), metav1.CreateOptions{})
		return err
	})
	return s, err
}

func (s *stage) createFleet(ctx context.Context, replicas int32) (*v1alpha1.Fleet, error) {
	labels := map[string]string{"app": fleetName}
	return s.Fleets.FleetV1alpha1().Fleets(s.namespace).Create(ctx, &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: fleetName},
		Spec: v1alpha1.FleetSpec{
			Replicas: ptr.To(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
			},
		},
	}, metav1.CreateOptions{})
}

// labelFleet changes the Fleet in a way that asks nothing of its controller.
func (s *stage) labelFleet(ctx context.Context) error {
	_, err := s.Fleets.FleetV1alpha1().Fleets(s.namespace).Patch(ctx, fleetName, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"team":"blue"}}}`), metav1.PatchOptions{})
	return err
}

// podOf is a pod of a Fleet, by a name.
func podOf(fleet *v1alpha1.Fleet, name metav1.ObjectMeta) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: name, Spec: fleet.Spec.Template.Spec}
	pod.Labels = fleet.Spec.Template.Labels
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(fleet, v1alpha1.FleetKind)}
	return pod
}

// names are those of the pods that the API server has, by their uid.
func (s *stage) names(ctx context.Context) (map[types.UID]string, error) {
	list, err := s.Kube.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	names := map[types.UID]string{}
	for _, pod := range list.Items {
		names[pod.UID] = pod.Name
	}
	return names, nil
}
