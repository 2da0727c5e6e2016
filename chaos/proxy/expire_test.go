package proxy

import (
	"context"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// After Hold and Expire a client sees the newest state only.
func TestExpire(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		s.create("b", "1")
		i := s.inform()
		i.expectState("add a=1", "add b=1")

		s.proxy.Hold(Watched{Resource: "secrets"})
		s.update("a", "2")
		s.update("a", "3")
		s.create("c", "1")
		s.delete("c")
		s.delete("b")
		s.awaitWithheld(5)
		i.expectNothing()
		s.proxy.Mark("expired")
		s.proxy.Expire(Watched{Resource: "secrets"})
		i.expectState("tombstone b=1", "update a=3")

		s.update("a", "4")
		i.expect("update a=4")
		for _, x := range s.proxy.Exchanges() {
			// A LIST brings a version to watch from; a WatchList goes on.
			if x.Place.Step == "expired" && x.Place.Ordinal > 1 {
				t.Errorf("%s: one more than it takes to relist", x.Place)
			}
		}
	})
}

// An informer whose initial LIST or WatchList is held comes by it after Expire.
func TestExpireFromTheStart(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		s.proxy.Hold(Watched{Resource: "secrets"})
		i := s.inform()
		s.await("answer", func() bool {
			exchanges := s.proxy.Exchanges()
			return len(exchanges) > 0 && exchanges[0].Status == 200
		})
		s.update("a", "2")
		s.proxy.Expire(Watched{Resource: "secrets"})
		i.expect("add a=2")
	})
}

func TestExpiredVersionsAreNotResumed(t *testing.T) {
	s := newStage(t)
	before := s.create("a", "1").ResourceVersion
	secrets := s.client().CoreV1().Secrets(s.namespace)
	next := func(from string) watch.Event {
		t.Helper()
		w, err := secrets.Watch(within(t), metav1.ListOptions{ResourceVersion: from})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		return <-w.ResultChan()
	}
	after := s.update("a", "2").ResourceVersion
	if e := next(before); e.Type != watch.Modified {
		t.Errorf("before Expire: %v", e)
	}
	s.proxy.Expire(Watched{Resource: "secrets"})
	e := next(before)
	if err := apierrors.FromObject(e.Object); e.Type != watch.Error || !apierrors.IsResourceExpired(err) {
		t.Errorf("from an old version: %s %v", e.Type, err)
	}
	s.update("a", "3")
	if e := next(after); e.Type != watch.Modified {
		t.Errorf("from the newest version: %v", e)
	}
}

// A watch that broke while an event was held that others had overtaken cannot be resumed without it; who lists knows of it.
func TestTornWatchIsNotResumed(t *testing.T) {
	next := make(chan struct{})
	p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) {
		if ParseRequest(r).Verb == "watch" {
			serveWatch(w, r, next)
		}
	})
	p.Hold(Watched{"pods", "p0"})
	ctx, hangUp := context.WithCancel(within(t))
	overtaken := watchFrom(ctx, t, p, "99")
	next <- struct{}{}
	next <- struct{}{}
	if !overtaken.Scan() || overtaken.Text() != frame(1) {
		t.Fatalf("the first event to pass is %q, %v", overtaken.Text(), overtaken.Err())
	}
	hangUp()
	if err := p.await(within(t), func() bool { return p.traffic.open == 0 }); err != nil {
		t.Fatal(err)
	}
	p.Release(Watched{"pods", "p0"})

	first := func(version string, arrives bool) watch.EventType {
		ctx, hangUp := context.WithCancel(within(t))
		defer hangUp()
		lines := watchFrom(ctx, t, p, version)
		if arrives {
			next <- struct{}{}
		}
		lines.Scan()
		return parseEvent(lines.Bytes()).Type
	}
	if got := first("101", false); got != watch.Error {
		t.Errorf("resumed from the version of the event that overtook: %s", got)
	}
	if got := first("99", true); got != watch.Added {
		t.Errorf("resumed from a version before: %s", got)
	}
	mustDo(t, newClient(t, p.CA(), true), "GET", p.URL()+pods)
	if got := first("101", true); got != watch.Added {
		t.Errorf("watched on from a list: %s", got)
	}
}
