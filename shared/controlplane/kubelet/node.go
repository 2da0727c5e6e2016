package kubelet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	// NodeName is the one Node's name.
	NodeName = "simulated"
	// nodeIP is of a network that exists only in documentation (RFC 5737).
	nodeIP = "192.0.2.1"
)

// registerNode creates the Node, unless an earlier kubelet has, and says that it is Ready.
func registerNode(ctx context.Context, client kubernetes.Interface) error {
	nodes := client.CoreV1().Nodes()
	node, err := nodes.Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   NodeName,
			Labels: map[string]string{corev1.LabelHostname: NodeName, corev1.LabelOSStable: "linux"},
		},
		Spec: corev1.NodeSpec{PodCIDR: podNetwork.String(), PodCIDRs: []string{podNetwork.String()}},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		node, err = nodes.Get(ctx, NodeName, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("register the simulated node: %w", err)
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("100k"),
		corev1.ResourceMemory: resource.MustParse("1Pi"),
		corev1.ResourcePods:   resource.MustParse("60k"),
	}
	now := metav1.Now()
	node.Status = corev1.NodeStatus{
		Capacity:    room,
		Allocatable: room,
		Addresses:   []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: nodeIP}},
		NodeInfo:    corev1.NodeSystemInfo{KubeletVersion: "simulated", OperatingSystem: "linux"},
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated",
			Message: "pods run in appearance only", LastHeartbeatTime: now, LastTransitionTime: now,
		}},
	}
	if _, err := nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("register the simulated node: %w", err)
	}
	return nil
}
