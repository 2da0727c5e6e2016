package proxy

import (
	"context"
	"errors"
	"math"
	"net/http"
	"testing"
	"time"
)

func TestUntilQuiet(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	tests := []struct {
		name    string
		traffic traffic
		want    time.Duration
	}{
		{"a write under way", traffic{writing: 1, lastWrite: ago(time.Hour)}, math.MaxInt64},
		{"a write just now", traffic{lastWrite: now}, time.Second},
		{"a write a while ago", traffic{lastWrite: ago(300 * time.Millisecond)}, 700 * time.Millisecond},
		{"a write long ago", traffic{lastWrite: ago(time.Hour)}, 0},
		{"a write just long enough ago", traffic{lastWrite: ago(time.Second)}, 0},
		{"an open watch", traffic{open: 1, lastWrite: ago(time.Hour)}, 0},
	}
	for _, test := range tests {
		if got := test.traffic.untilQuiet(now, time.Second); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestQuietWaitsForWrites(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	leases := func(r Request) bool { return r.Resource == "leases" }
	p := startProxy(t, Options{Background: leases}, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		created(w, r)
	})
	client := newClient(t, p.CA(), true)
	answered := make(chan error)
	send := func(method, path string) {
		go func() {
			_, _, err := do(within(t), client, method, p.URL()+path)
			answered <- err
		}()
		<-arrived
	}
	expired, cancel := context.WithCancel(context.Background())
	cancel()

	send("PUT", "/apis/coordination.k8s.io/v1/namespaces/d/leases/l")
	send("GET", pods)
	if err := p.Quiet(within(t), time.Nanosecond); err != nil {
		t.Errorf("a background write or a read disturbed the quiet: %v", err)
	}
	send("POST", pods)
	if err := p.Quiet(expired, time.Nanosecond); !errors.Is(err, context.Canceled) {
		t.Errorf("quiet with a write under way: %v", err)
	}
	quiet := make(chan error)
	go func() { quiet <- p.Quiet(within(t), time.Nanosecond) }()
	close(release)
	for range 3 {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	if err := <-quiet; err != nil {
		t.Errorf("no quiet after the last write: %v", err)
	}
}
