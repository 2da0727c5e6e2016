package suite

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// A trait is one thing about a Fleet that a test cares about.
type trait func(*v1alpha1.Fleet)

// fleet is a Fleet of one pod, labelled app=<name>, with the image web:1.0.
func fleet(name string, traits ...trait) *v1alpha1.Fleet {
	f := &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.FleetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
			},
		},
	}
	for _, t := range traits {
		t(f)
	}
	return f
}

func replicas(n int32) trait { return func(f *v1alpha1.Fleet) { f.Spec.Replicas = &n } }

func image(image string) trait {
	return func(f *v1alpha1.Fleet) { f.Spec.Template.Spec.Containers[0].Image = image }
}

// broken is an image that the simulated kubelet never pulls.
const broken = "web:broken"

func selecting(labels map[string]string) trait {
	return func(f *v1alpha1.Fleet) {
		f.Spec.Selector.MatchLabels = labels
		f.Spec.Template.Labels = labels
	}
}

// gated pods are not bound to a node, and so not ready, until the test opens their gate.
func gated(f *v1alpha1.Fleet) {
	f.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
}

// podFinalizer keeps a deleted pod in existence until the test removes it.
const podFinalizer = "example.com/held"

func heldPods(f *v1alpha1.Fleet) { f.Spec.Template.Finalizers = []string{podFinalizer} }

// rolling takes numbers of pods, or percentages.
func rolling(surge, unavailable string) trait {
	return func(f *v1alpha1.Fleet) {
		f.Spec.Strategy = v1alpha1.FleetStrategy{
			Type: v1alpha1.RollingUpdateStrategy,
			RollingUpdate: &v1alpha1.FleetRollingUpdate{
				MaxSurge:       ptr.To(intstr.Parse(surge)),
				MaxUnavailable: ptr.To(intstr.Parse(unavailable)),
			},
		}
	}
}

func recreating(f *v1alpha1.Fleet) {
	f.Spec.Strategy = v1alpha1.FleetStrategy{Type: v1alpha1.RecreateStrategy}
}

func paused(f *v1alpha1.Fleet)  { f.Spec.Paused = true }
func resumed(f *v1alpha1.Fleet) { f.Spec.Paused = false }

func minReady(seconds int32) trait {
	return func(f *v1alpha1.Fleet) { f.Spec.MinReadySeconds = seconds }
}

func progressDeadline(seconds int32) trait {
	return func(f *v1alpha1.Fleet) { f.Spec.ProgressDeadlineSeconds = &seconds }
}

func historyLimit(n int32) trait { return func(f *v1alpha1.Fleet) { f.Spec.RevisionHistoryLimit = &n } }

// publishedIn asks for records in a zone.
func publishedIn(zone string) trait {
	return func(f *v1alpha1.Fleet) { f.Spec.DNS = &v1alpha1.FleetDNS{Zone: zone} }
}

func unpublished(f *v1alpha1.Fleet) { f.Spec.DNS = nil }

func ttl(seconds int32) trait { return func(f *v1alpha1.Fleet) { f.Spec.DNS.TTL = &seconds } }

// held keeps a deleted Fleet in existence until the test removes the finalizer.
func held(f *v1alpha1.Fleet) { f.Finalizers = append(f.Finalizers, fleetFinalizer) }

const fleetFinalizer = "example.com/held"

// orphan is a pod that a Fleet of that name selects and that nobody controls.
func orphan(name, fleet string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": fleet}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}
}
