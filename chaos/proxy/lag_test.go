package proxy

import (
	"context"
	"net/url"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// existed are the versions of the secrets that the API server itself tells of, from the time of the call on, until there
// are n of them.
func (s *stage) existed() func(n int) []string {
	s.Helper()
	ctx, stop := context.WithCancel(within(s))
	w, err := s.secrets.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { w.Stop(); stop() })
	return func(n int) []string {
		var versions []string
		for len(versions) < n {
			versions = append(versions, version((<-w.ResultChan()).Object.(*corev1.Secret)))
		}
		return versions
	}
}

// An operator that starts under a Lag sees an object as it was, uid and all, although another stands in its place.
func TestLag(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		existed := s.existed()
		s.create("a", "1")
		past := s.update("a", "2").ResourceVersion
		s.update("a", "3")
		s.delete("a")
		s.create("a", "4")
		s.create("b", "1")

		s.proxy.Lag(past, "secrets")
		i := s.inform()
		i.expect("add a=2")
		live, err := s.client().CoreV1().Secrets(s.namespace).Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil || live.Labels["state"] != "4" {
			t.Errorf("a GET brings %v, %v", live, err)
		}
		i.expectNothing()
		s.proxy.CatchUp()
		i.expect("update a=3", "delete a=3", "add a=4", "add b=1")
		s.update("b", "2")
		i.expect("update b=2")

		told, real := i.versions, existed(7)
		// Created (1), updated (2), updated, deleted, created, created, updated: all but the first were told.
		if !slices.Equal(told, real[1:]) {
			t.Errorf("told of versions %q, there were %q", told, real)
		}
	})
}

func TestLagOfAnEmptyPast(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		s.delete("a")
		gone, err := s.secrets.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s.create("b", "1")
		s.proxy.Lag(gone.ResourceVersion, "secrets")
		i := s.inform()
		s.await("watch", func() bool { return s.proxy.Counts()["WATCH secrets"] > 0 })
		i.expectNothing()
		s.proxy.CatchUp()
		i.expect("add b=1")
	})
}

// Metadata alone lags as well as whole objects do.
func TestLagOfMetadata(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		past := s.create("a", "1")
		s.delete("a")
		s.create("a", "2")
		s.proxy.Lag(past.ResourceVersion, "secrets")

		client, err := metadata.NewForConfig(s.config())
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan *metav1.PartialObjectMetadata, 3)
		note := func(object any) { told <- object.(*metav1.PartialObjectMetadata) }
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, s.namespace, nil)
		_, err = factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Informer().
			AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: note, DeleteFunc: note})
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		factory.Start(stop)
		defer func() { close(stop); factory.Shutdown() }()

		if object := <-told; object.UID != past.UID || object.Labels["state"] != "1" {
			t.Errorf("first told of %v", object)
		}
		s.proxy.CatchUp()
		if object := <-told; object.UID != past.UID {
			t.Errorf("then told of %v, not of the deletion", object)
		}
		if object := <-told; object.UID == past.UID || object.Labels["state"] != "2" {
			t.Errorf("last told of %v", object)
		}
	})
}

func TestTense(t *testing.T) {
	l := &lag{version: "7", resources: []string{"pods"}}
	tests := []struct {
		verb, resource, query string
		want                  tense
	}{
		{"list", "pods", "resourceVersion=0&limit=500", past},
		{"list", "pods", "resourceVersion=7", past},
		{"list", "pods", "resourceVersion=8", future},
		{"list", "pods", "", present},
		{"list", "pods", "resourceVersion=5&resourceVersionMatch=Exact", present},
		{"list", "nodes", "resourceVersion=0", present},
		{"watch", "pods", "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", past},
		{"watch", "pods", "watch=true&sendInitialEvents=true&resourceVersion=8", future},
		{"watch", "pods", "watch=true&resourceVersion=7", future},
		{"watch", "nodes", "watch=true&resourceVersion=7", present},
		{"get", "pods", "resourceVersion=0", present},
		{"deletecollection", "pods", "resourceVersion=0", present},
	}
	for _, test := range tests {
		query, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.tense(Request{Verb: test.verb, Resource: test.resource}, query); got != test.want {
			t.Errorf("%s %s?%s is about %v, want %v", test.verb, test.resource, test.query, got, test.want)
		}
	}
}

func TestExactlyAndOnwards(t *testing.T) {
	query, err := url.ParseQuery("watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" +
		"&allowWatchBookmarks=true&timeoutSeconds=300&limit=500&labelSelector=app%3Dweb")
	if err != nil {
		t.Fatal(err)
	}
	want := "labelSelector=app%3Dweb&resourceVersion=7&resourceVersionMatch=Exact"
	if got := exactly("7", query).Encode(); got != want {
		t.Errorf("exactly: %s, want %s", got, want)
	}
	want = "allowWatchBookmarks=true&labelSelector=app%3Dweb&limit=500&resourceVersion=7&timeoutSeconds=300&watch=true"
	if got := onwards("7", query).Encode(); got != want {
		t.Errorf("onwards: %s, want %s", got, want)
	}
}

func TestAsList(t *testing.T) {
	for accept, want := range map[string]string{
		"application/json": "application/json",
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json": "application/json;" +
			"as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
		"application/json;stream=watch": "application/json",
	} {
		if got := asList(accept); got != want {
			t.Errorf("%s becomes %s, want %s", accept, got, want)
		}
	}
}
