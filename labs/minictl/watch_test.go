package minictl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
)

// A watcher with a selector sees an object that begins to match as added, and one that ceases to match as deleted.
func TestALabelChangeIsAnAdditionOrADeletionToASelector(t *testing.T) {
	s := newStore()
	_, version := s.List(PodKind, namespace, labels.Everything())
	pod := must[*corev1.Pod](t)(create(s, bare("a", map[string]string{"app": "db"})))
	for _, app := range []string{"web", "web", "db", "db", "web"} {
		pod.Labels = map[string]string{"app": app, "n": pod.ResourceVersion}
		pod = must[*corev1.Pod](t)(update(s, pod))
	}
	if err := s.Delete(PodKind, key("a")); err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string][]string{
		"app=web": {"ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"},
		"app=db":  {"ADDED", "DELETED", "ADDED", "MODIFIED", "DELETED"},
		"":        {"ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"},
		"app=no":  nil,
	} {
		events, _, err := s.Watch(PodKind, namespace, parse(t, selector), version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, string(e.Type))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", selector, diff)
		}
	}
}

func TestAVersionBeforeTheCompactionIsGone(t *testing.T) {
	s := newStore()
	must[*corev1.Pod](t)(create(s, bare("a", nil)))
	must[*corev1.Pod](t)(create(s, bare("b", nil)))
	s.Compact()
	must[*corev1.Pod](t)(create(s, bare("c", nil)))
	_, _, err := s.Watch(PodKind, namespace, labels.Everything(), "1")
	if !apierrors.IsResourceExpired(err) || err.Error() != "The resourceVersion for the provided watch is too old." {
		t.Errorf("got %v, want 410 in the words of etcd's client", err)
	}
	events, _, err := s.Watch(PodKind, namespace, labels.Everything(), "2")
	if err != nil || len(events) != 1 || events[0].Object.GetName() != "c" {
		t.Errorf("got %v and %v, want the creation of c", events, err)
	}
	_, _, err = s.Watch(PodKind, namespace, labels.Everything(), "latest")
	mustFail(t, err, "resourceVersion")
}
