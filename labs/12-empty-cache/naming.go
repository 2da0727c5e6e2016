package emptycache

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// naming has a name for each pod that a Fleet lacks.
type naming func(fleet *v1alpha1.Fleet, have []*corev1.Pod) []metav1.ObjectMeta

// numbered gives a pod the same name whenever it is lacking, as a StatefulSet does.
func numbered(fleet *v1alpha1.Fleet, have []*corev1.Pod) []metav1.ObjectMeta {
	var lacking []metav1.ObjectMeta
	for n := range int(*fleet.Spec.Replicas) {
		name := fmt.Sprintf("%s-%d", fleet.Name, n)
		if !slices.ContainsFunc(have, func(pod *corev1.Pod) bool { return pod.Name == name }) {
			lacking = append(lacking, metav1.ObjectMeta{Name: name})
		}
	}
	return lacking
}

// generated leaves the name to the API server, as a ReplicaSet does. No two pods collide.
func generated(fleet *v1alpha1.Fleet, have []*corev1.Pod) []metav1.ObjectMeta {
	lacking := int(*fleet.Spec.Replicas) - len(have)
	return slices.Repeat([]metav1.ObjectMeta{{GenerateName: fleet.Name + "-"}}, lacking)
}
