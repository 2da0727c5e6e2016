package proxy

import (
	"net/http"
	"testing"
)

func TestDelivered(t *testing.T) {
	next := make(chan struct{})
	p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) { serveWatch(w, r, next) })
	openWatch(t, p, true)
	if got := p.Delivered("pods", "p0"); got != "" {
		t.Errorf("version %s was delivered before any", got)
	}
	next <- struct{}{}
	for changes := p.Changes(); p.Delivered("pods", "p0") != "100"; changes = p.Changes() {
		<-changes
	}
	p.Freeze()
	p.Thaw()
	if got := p.Delivered("pods", "p0"); got != "" {
		t.Errorf("version %s was delivered to a process that has not begun", got)
	}
}

// Two watches of one resource are at different versions: the newest counts.
func TestDeliverKeepsTheNewest(t *testing.T) {
	l, pod := newLife(), Watched{"pods", "a"}
	for _, version := range []string{"99", "100", "98"} {
		l.deliver(pod, version)
	}
	if got := l.delivered[pod]; got != "100" {
		t.Errorf("version %s, want 100", got)
	}
}

func TestConditionsOfWatchesNeedFrames(t *testing.T) {
	p := startProxy(t, Options{}, created)
	for name, condition := range map[string]func(){
		"Hold":   func() { p.Hold(Watched{}) },
		"Expire": func() { p.Expire(Watched{}) },
		"Skip":   func() { p.Skip(Watched{}) },
		"Lag":    func() { p.Lag("1") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s would have no effect, and says nothing", name)
				}
			}()
			condition()
		}()
	}
}
