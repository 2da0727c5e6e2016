package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"
	"time"
)

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"

func TestPartCuts(t *testing.T) {
	lease := Request{Group: "coordination.k8s.io", Resource: "leases", LeaderLock: true}
	pod := Request{Resource: "pods"}
	for part, want := range map[Part][2]bool{
		0: {false, false}, All: {true, true}, OnlyLeases: {true, false}, AllButLeases: {false, true},
	} {
		if got := [2]bool{part.cuts(lease), part.cuts(pod)}; got != want {
			t.Errorf("part %d cuts Leases and pods: %v, want %v", part, got, want)
		}
	}
}

// send sends a request that the test awaits later.
func send(t *testing.T, client *http.Client, method, url string) (answered chan error) {
	answered = make(chan error, 1)
	go func() {
		_, _, err := do(within(t), client, method, url)
		answered <- err
	}()
	return answered
}

// While the network is dead nothing moves on connections new or old, and nothing is lost for good.
func TestDeadNetwork(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, created)
			old := newClient(t, p.CA(), http2)
			mustDo(t, old, "POST", p.URL()+pods)
			p.Partition(All)
			onOld := send(t, old, "POST", p.URL()+pods)

			conn, err := net.Dial("tcp", p.URL()[len("https://"):])
			if err != nil {
				t.Fatalf("the kernel does not accept: %v", err)
			}
			defer conn.Close()
			handshake := make(chan error, 1)
			shaking := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
			go func() { handshake <- shaking.HandshakeContext(within(t)) }()
			if err := p.await(within(t), func() bool { return len(p.conns) >= 2 }); err != nil {
				t.Fatal(err)
			}
			impatient, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer giveUp()
			if status, _, err := do(impatient, newClient(t, p.CA(), http2), "GET", p.URL()+pods); err == nil {
				t.Errorf("answered with %d across a dead network", status)
			}
			select {
			case err := <-handshake:
				t.Errorf("shook hands across a dead network: %v", err)
			case err := <-onOld:
				t.Errorf("answered across a dead network: %v", err)
			default:
			}
			if n := len(p.Exchanges()); n != 1 {
				t.Errorf("%d requests arrived, want the first alone", n)
			}
			p.Heal()
			if err := <-handshake; err != nil {
				t.Errorf("no handshake after Heal: %v", err)
			}
			if err := <-onOld; err != nil {
				t.Errorf("no answer after Heal: %v", err)
			}
		})
	}
}

// An answer under way when the network dies arrives after Heal.
func TestDeadNetworkDelaysAnswers(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-release
				created(w, r)
			})
			answered := send(t, newClient(t, p.CA(), http2), "POST", p.URL()+pods)
			<-arrived
			p.Partition(All)
			close(release)
			if err := p.Quiesce(within(t)); err != nil {
				t.Fatal(err)
			}
			if x := p.Exchanges()[0]; !x.Committed() || !x.Finished.IsZero() {
				t.Errorf("recorded as %+v", x)
			}
			p.Heal()
			if err := <-answered; err != nil {
				t.Errorf("after Heal: %v", err)
			}
		})
	}
}

func TestCloseAndThawAcrossADeadNetwork(t *testing.T) {
	for name, end := range map[string]func(*Proxy){"Close": (*Proxy).Close, "Thaw": (*Proxy).Thaw} {
		for protocol, http2 := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				next := make(chan struct{})
				p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) { serveWatch(w, r, next) })
				lines := openWatch(t, p, http2)
				next <- struct{}{}
				lines.Scan()
				p.Partition(All)
				next <- struct{}{}
				answered := send(t, newClient(t, p.CA(), http2), "GET", p.URL()+pods)
				end(p)
				if lines.Scan() {
					t.Errorf("an event crossed a dead network")
				}
				if err := <-answered; err == nil {
					t.Errorf("a request crossed a dead network")
				}
			})
		}
	}
}

// Where only some requests are cut off they are not forwarded, their answers are lost, and the connection of each
// breaks at Heal; the others pass.
func TestPartialPartition(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "PUT" {
					close(arrived)
					<-release
				}
				created(w, r)
			})
			client := newClient(t, p.CA(), http2)
			underWay := send(t, client, "PUT", p.URL()+leases)
			<-arrived
			p.Partition(OnlyLeases)
			// On a connection of its own: a GET that loses one that it found open is sent again by net/http.
			fresh := send(t, newClient(t, p.CA(), http2), "GET", p.URL()+leases)
			mustDo(t, client, "POST", p.URL()+pods)
			close(release)
			if err := p.Quiesce(within(t)); err != nil {
				t.Fatal(err)
			}
			if err := p.await(within(t), func() bool { return len(p.journal.exchanges) == 3 && p.traffic.open == 2 }); err != nil {
				t.Fatal(err)
			}
			p.Heal()
			for what, answered := range map[string]chan error{"the one under way": underWay, "the fresh one": fresh} {
				if err := <-answered; err == nil {
					t.Errorf("%s was answered", what)
				}
			}
			mustDo(t, client, "GET", p.URL()+leases)
			for _, x := range p.Exchanges() {
				if x.Kind() == "PUT leases" && !x.Committed() || x.Place.Kind == "GET leases" && x.Place.Ordinal == 1 && x.Forwarded {
					t.Errorf("recorded as %+v", x)
				}
			}
		})
	}
}

func TestPartitionStallsWatches(t *testing.T) {
	next := make(chan struct{})
	p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) { serveWatch(w, r, next) })
	lines := openWatch(t, p, true)
	p.Partition(AllButLeases)
	next <- struct{}{}
	next <- struct{}{}
	next <- struct{}{} // the first one has been read from the wire, at least
	if events := p.WatchEvents(); len(events) != 0 {
		t.Errorf("%d events passed", len(events))
	}
	p.Heal()
	for i := range 3 {
		if !lines.Scan() || lines.Text() != frame(i) {
			t.Errorf("event %d: %q, %v", i, lines.Text(), lines.Err())
		}
	}
}
