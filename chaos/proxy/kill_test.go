package proxy

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestKillBefore(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			var stored atomic.Int32
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				stored.Add(1)
				created(w, r)
			})
			struck := 0
			p.Mark("roll")
			p.Intercept(KillBefore(Place{Step: "roll", Kind: "POST pods", Ordinal: 2}, func() { struck++ }))
			client := newClient(t, p.CA(), http2)
			mustDo(t, client, "POST", p.URL()+pods)
			if status, _, err := do(within(t), client, "POST", p.URL()+pods); err == nil {
				t.Errorf("the caller heard status %d", status)
			}
			p.Close()
			if struck != 1 || stored.Load() != 1 {
				t.Errorf("struck %d times, stored %d pods; want 1 and 1", struck, stored.Load())
			}
			if x := p.Exchanges()[1]; x.Forwarded || x.Status != 0 || x.Delivered {
				t.Errorf("recorded as %+v", x)
			}
		})
	}
}

func TestKillAfter(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			var stored atomic.Int32
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				stored.Add(1)
				created(w, r)
			})
			p.Mark("roll")
			struck := 0
			p.Intercept(KillAfter(Place{Step: "roll", Kind: "POST pods", Ordinal: 2}, func() {
				struck++
				if err := p.Quiesce(within(t)); err != nil {
					t.Errorf("the API server is not at rest when the operator is killed: %v", err)
				}
				if got := stored.Load(); got != 2 {
					t.Errorf("%d pods stored when the operator is killed, want 2", got)
				}
			}))
			client := newClient(t, p.CA(), http2)
			mustDo(t, client, "POST", p.URL()+pods)
			if status, _, err := do(within(t), client, "POST", p.URL()+pods); err == nil {
				t.Errorf("the caller heard status %d", status)
			}
			p.Close()
			if struck != 1 {
				t.Errorf("struck %d times, want 1", struck)
			}
			x := p.Exchanges()[1]
			if !x.Committed() || x.Delivered || x.Name != "web-x7k2p" || x.UID != "5f1c" {
				t.Errorf("recorded as %+v", x)
			}
		})
	}
}

// TestKillAmongManyWriters kills an operator with fifty writes under way, half of which the API server is slow to
// commit, and compares what the API server holds with what the journal says.
func TestKillAmongManyWriters(t *testing.T) {
	const writers, doomed = 25, 100
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			var stored atomic.Int32
			slow := make(chan struct{}, writers)
			release := make(chan struct{})
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "slow/pods") {
					slow <- struct{}{}
					<-release
				}
				stored.Add(1)
				created(w, r)
			})
			client := newClient(t, p.CA(), http2)
			alive, sigkill := context.WithCancel(within(t))
			var operator sync.WaitGroup // its goroutines
			write := func(namespace string) {
				operator.Go(func() {
					for {
						if _, _, err := do(alive, client, "POST", p.URL()+"/api/v1/namespaces/"+namespace+"/pods"); err != nil {
							return
						}
					}
				})
			}
			dead := make(chan struct{})
			p.Mark("roll")
			p.Intercept(KillAfter(Place{Step: "roll", Kind: "POST pods", Ordinal: doomed}, func() {
				sigkill()
				operator.Wait()
				close(dead)
			}))
			mustDo(t, client, "POST", p.URL()+pods) // one connection for all, if the protocol lets them share
			for range writers {
				write("slow")
			}
			for range writers {
				<-slow
			}
			for range writers {
				write("fast")
			}

			<-dead
			expired, cancel := context.WithCancel(context.Background())
			cancel()
			if err := p.Quiesce(expired); !errors.Is(err, context.Canceled) {
				t.Errorf("quiescent with %d writes under way: %v", writers, err)
			}
			close(release)
			if err := p.Quiesce(within(t)); err != nil {
				t.Fatal(err)
			}

			held := stored.Load()
			var committed, lost int32
			ordinals := map[int]int{}
			for _, x := range p.Exchanges() {
				if x.Committed() {
					committed++
				}
				if x.Committed() && !x.Delivered {
					lost++
				}
				if x.Forwarded && !x.Committed() {
					t.Errorf("no outcome: %+v", x)
				}
				ordinals[x.Place.Ordinal]++
			}
			if committed != held {
				t.Errorf("the API server holds %d pods, the journal says %d", held, committed)
			}
			if lost < writers+1 {
				t.Errorf("%d committed writes went unheard, want at least %d", lost, writers+1)
			}
			for n := 1; n < doomed; n++ {
				if ordinals[n] != 1 {
					t.Errorf("%d requests have ordinal %d, want one", ordinals[n], n)
				}
			}

			p.Intercept(nil)
			p.Thaw()
			mustDo(t, newClient(t, p.CA(), http2), "POST", p.URL()+pods)
			if got := stored.Load(); got != held+1 {
				t.Errorf("the API server holds %d pods after one more write, want %d", got, held+1)
			}
		})
	}
}

func TestFrozenIsSilent(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, func(http.ResponseWriter, *http.Request) {
				t.Errorf("a frozen proxy forwarded a request")
			})
			p.Intercept(func(call *Call) (*http.Response, error) {
				t.Errorf("an interceptor saw %v", call.Place)
				return nil, ErrDropped
			})
			if !p.Freeze() || p.Freeze() {
				t.Errorf("Freeze must freeze once")
			}
			client := newClient(t, p.CA(), http2)
			answered := make(chan error)
			for _, method := range []string{"GET", "POST"} {
				go func() {
					_, _, err := do(within(t), client, method, p.URL()+pods)
					answered <- err
				}()
			}
			if err := p.await(within(t), func() bool { return p.traffic.open == 2 }); err != nil {
				t.Fatal(err)
			}
			for _, x := range p.Exchanges() {
				if x.Place.Ordinal != 0 {
					t.Errorf("%v was counted", x.Place)
				}
			}
			p.Close()
			for range 2 {
				if err := <-answered; err == nil {
					t.Errorf("a frozen proxy answered")
				}
			}
		})
	}
}

// TestFreezeWithholdsAnswers freezes the proxy with a write under way whose caller goes on living.
func TestFreezeWithholdsAnswers(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-release
				created(w, r)
			})
			answered := make(chan error)
			go func() {
				_, _, err := do(within(t), newClient(t, p.CA(), http2), "POST", p.URL()+pods)
				answered <- err
			}()
			<-arrived
			p.Freeze()
			close(release)
			if err := p.Quiesce(within(t)); err != nil {
				t.Fatal(err)
			}
			if x := p.Exchanges()[0]; !x.Committed() || !x.Finished.IsZero() {
				t.Errorf("recorded as %+v", x)
			}
			p.Thaw()
			if err := <-answered; err == nil {
				t.Errorf("the caller heard of a write that the freeze interrupted")
			}
		})
	}
}

// TestFreezeStopsWhatHasNotDeparted freezes the proxy with a request past the door and not yet forwarded.
func TestFreezeStopsWhatHasNotDeparted(t *testing.T) {
	p := startProxy(t, Options{}, func(http.ResponseWriter, *http.Request) {
		t.Errorf("a frozen proxy forwarded a request")
	})
	inside, proceed, forwarded := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	p.Intercept(func(call *Call) (*http.Response, error) {
		close(inside)
		<-proceed
		answer, err := call.Forward()
		forwarded <- err
		return answer, err
	})
	answered := make(chan error)
	go func() {
		_, _, err := do(within(t), newClient(t, p.CA(), true), "POST", p.URL()+pods)
		answered <- err
	}()
	<-inside
	p.Freeze()
	close(proceed)
	p.Thaw()
	if err := <-forwarded; !errors.Is(err, ErrDropped) {
		t.Errorf("Forward says %v", err)
	}
	if err := <-answered; err == nil {
		t.Errorf("a frozen proxy answered")
	}
}

func TestThawClosesConnections(t *testing.T) {
	p := startProxy(t, Options{}, created)
	conn := dialTLS(t, p)
	p.Freeze()
	p.Thaw()
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read error %v, want a closed connection", err)
	}
	mustDo(t, newClient(t, p.CA(), true), "POST", p.URL()+pods)
}

// TestTheDeadStayDead has a request of a killed operator arrive only after the thaw, from a socket's buffer.
func TestTheDeadStayDead(t *testing.T) {
	p := startProxy(t, Options{}, created)
	predecessor := context.WithValue(within(t), lifeKey{}, p.life)
	p.Freeze()
	p.Thaw()
	call := p.arrive(Request{Verb: "create", Resource: "pods"}, predecessor)
	defer p.leave(call, false)
	if call.Place.Ordinal != 0 || call.depart() || call.Freeze() {
		t.Errorf("a dead operator's request was counted, forwarded or froze its successor: %+v", call.Place)
	}
	if !p.Freeze() {
		t.Errorf("the successor was frozen")
	}
}

func TestOrdinalsRestartAtEachMark(t *testing.T) {
	p := startProxy(t, Options{}, created)
	client := newClient(t, p.CA(), true)
	mustDo(t, client, "POST", p.URL()+pods) // one connection for all
	const each = 50
	for _, step := range []string{"create", "roll"} {
		p.Mark(step)
		var callers sync.WaitGroup
		for range each {
			callers.Go(func() { _, _, _ = do(within(t), client, "POST", p.URL()+pods) })
			callers.Go(func() { _, _, _ = do(within(t), client, "DELETE", p.URL()+pods+"/a") })
		}
		callers.Wait()
		if counts := p.Counts(); counts["POST pods"] != each || counts["DELETE pods"] != each {
			t.Errorf("%s: counts %v, want %d of each", step, counts, each)
		}
	}
	places := map[Place]bool{}
	for _, x := range p.Exchanges() {
		places[x.Place] = true
	}
	for _, step := range []string{"create", "roll"} {
		for n := 1; n <= each; n++ {
			for _, kind := range []Kind{"POST pods", "DELETE pods"} {
				if place := (Place{Step: step, Kind: kind, Ordinal: n}); !places[place] {
					t.Errorf("no request at %v", place)
				}
			}
		}
	}
}
