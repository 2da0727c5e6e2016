package minictl

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// Supervisor is the script that a controller is not: edge-triggered. When it hears that a pod died, it starts one. It is
// right as long as it hears of everything once, alone.
type Supervisor struct {
	Name string

	store   *Store
	log     *Log
	image   string
	version string
}

// NewSupervisor makes a supervisor that hears of what happens from now on.
func NewSupervisor(name string, store *Store, log *Log, image string) *Supervisor {
	_, now := store.List(PodKind, namespace, labels.Everything())
	return &Supervisor{name, store, log, image, now}
}

// Step starts a pod for each that failed or was deleted since the last one.
func (s *Supervisor) Step(events []Event) {
	for _, event := range events {
		if event.Type == watch.Deleted || !isActive(event.Object.(*corev1.Pod)) {
			s.startPod(fmt.Sprintf("heard that %s died", event.Object.GetName()))
		}
	}
}

// Hear returns what happened since it last did.
func (s *Supervisor) Hear() []Event {
	events, version, err := s.store.Watch(PodKind, namespace, labels.Everything(), s.version)
	if err != nil {
		return nil // and what happened meanwhile is never heard of
	}
	s.version = version
	return events
}

// Replace starts a pod of a new image for each there is, and stops those, all at once.
func (s *Supervisor) Replace(image string) error {
	s.image = image
	for _, pod := range list[*corev1.Pod](s.store, namespace) {
		if err := s.store.Delete(PodKind, keyOf(pod)); err != nil {
			return err
		}
		s.startPod("replaces " + pod.Name)
	}
	s.Hear() // its own doing
	return nil
}

func (s *Supervisor) startPod(why string) {
	pod, err := create(s.store, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "checkout-", Namespace: namespace, Labels: map[string]string{"app": "checkout"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: s.image}}},
	})
	if err != nil {
		s.log.Record(s.Name, "pods", "FailedCreate", err.Error())
		return
	}
	s.log.Record(s.Name, describe(pod), "Started", why)
}
