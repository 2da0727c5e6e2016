package minictl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

type heard struct {
	*Informer
	events []string
}

func listen(s *Store) *heard {
	h := &heard{}
	h.Informer = NewInformer(s, PodKind, func(e Event) { h.events = append(h.events, string(e.Type)+" "+e.Object.GetName()) })
	return h
}

func (h *heard) want(t *testing.T, now int, want ...string) {
	t.Helper()
	h.events = nil
	h.Poll(now)
	if diff := cmp.Diff(want, h.events); diff != "" {
		t.Errorf("tick %d (-want +got):\n%s", now, diff)
	}
}

func TestAnInformerListsAndThenWatches(t *testing.T) {
	s := newStore()
	must[*corev1.Pod](t)(create(s, bare("a", nil)))
	h := listen(s)
	h.want(t, 1, "ADDED a")
	pod := must[*corev1.Pod](t)(create(s, bare("b", nil)))
	pod.Labels = map[string]string{"x": "y"}
	must[*corev1.Pod](t)(update(s, pod))
	s.Delete(PodKind, key("a"))
	h.want(t, 2, "ADDED b", "MODIFIED b", "DELETED a")
	h.want(t, 3)
}

func TestARelistTellsWhatVanishedUnheard(t *testing.T) {
	s := newStore()
	for _, name := range []string{"gone", "changed", "same", "replaced"} {
		must[*corev1.Pod](t)(create(s, bare(name, nil)))
	}
	h := listen(s)
	var why error
	h.Relisted = func(err error) { why = err }
	h.Poll(1)
	h.Disconnected = true
	s.Delete(PodKind, key("gone"))
	changed := bare("changed", map[string]string{"x": "y"})
	must[*corev1.Pod](t)(update(s, changed))
	must[*corev1.Pod](t)(create(s, bare("new", nil)))
	h.want(t, 2)
	s.Compact()
	h.Disconnected = false
	h.want(t, 3, "DELETED gone", "MODIFIED changed", "ADDED new")
	mustFail(t, why, "too old")
	h.want(t, 4)
}

func TestAResyncReplaysTheCache(t *testing.T) {
	s := newStore()
	h := listen(s)
	h.Resync = 3
	must[*corev1.Pod](t)(create(s, bare("a", nil)))
	h.want(t, 1, "ADDED a")
	h.want(t, 2)
	h.Drop = true
	must[*corev1.Pod](t)(create(s, bare("b", nil)))
	h.want(t, 3)
	h.Drop = false
	h.want(t, 4, "SYNC a", "SYNC b") // what the handler did not hear of is in the cache
	h.want(t, 5)
	h.want(t, 7, "SYNC a", "SYNC b")
}

func TestALateEventIsNotInTheCacheEither(t *testing.T) {
	s := newStore()
	h := listen(s)
	h.Lag = 2
	h.Poll(0)
	must[*corev1.Pod](t)(create(s, bare("a", nil)))
	h.want(t, 1)
	if cached := list[*corev1.Pod](informers{PodKind: h.Informer}, namespace); len(cached) != 0 {
		t.Errorf("the cache has %d pods", len(cached))
	}
	h.want(t, 3, "ADDED a")
}
