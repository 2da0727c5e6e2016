package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// NewFleet is a Fleet of this many pods of one image, which are labelled with the Fleet's name as app.
func NewFleet(name string, replicas int32) *v1alpha1.Fleet {
	labels := map[string]string{"app": name}
	return &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace},
		Spec: v1alpha1.FleetSpec{
			Replicas: ptr.To(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
			},
		},
	}
}
