package witness

import (
	"context"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// source is what an API server is to a reflector. It has no objects at first: a list is empty, and a watch that is to begin with
// what there is begins with the bookmark that ends it.
type source struct {
	asked func(request string)
	watch *watch.RaceFreeFakeWatcher

	mu      sync.Mutex
	version int
}

func newSource(asked func(request string)) *source {
	return &source{asked: asked, watch: watch.NewRaceFreeFake()}
}

// tell lets watchers know of an event. The object gets a version of its own.
func (s *source) tell(event watch.EventType, object *corev1.ConfigMap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	object = object.DeepCopy()
	object.ResourceVersion = strconv.Itoa(s.version)
	s.watch.Action(event, object)
}

func (s *source) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	s.asked("watch")
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		end := metav1.ObjectMeta{Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}
		s.tell(watch.Bookmark, &corev1.ConfigMap{ObjectMeta: end})
	}
	return s.watch, nil
}

func (s *source) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	s.asked("list")
	return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (s *source) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

func (s *source) List(options metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), options)
}
