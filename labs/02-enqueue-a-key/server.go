package enqueueakey

import (
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	fcache "k8s.io/client-go/tools/cache/testing"
)

// server is the source of events that client-go tests its informers with, in place of an API server. It counts the versions of
// objects from 1, and the requests.
type server struct {
	*fcache.FakeControllerSource
	requests atomic.Int64
	// watched is closed when somebody watches, so that no version is missed from then on.
	watched chan struct{}
	once    sync.Once
}

func newServer() *server {
	return &server{FakeControllerSource: fcache.NewFakeControllerSource(), watched: make(chan struct{})}
}

func (s *server) List(options metav1.ListOptions) (runtime.Object, error) {
	s.requests.Add(1)
	return s.FakeControllerSource.List(options)
}

func (s *server) Watch(options metav1.ListOptions) (watch.Interface, error) {
	s.requests.Add(1)
	events, err := s.FakeControllerSource.Watch(options)
	if err == nil {
		s.once.Do(func() { close(s.watched) })
	}
	return events, err
}
