// Package proxy stands between one operator process and a real kube-apiserver. It sees what every request
// means, lets a drill act on the request it names, and records what became of each.
//
// The operator needs only a kubeconfig: the server is [Proxy.URL], the certificate authority is [Proxy.CA], and
// the credentials are the operator's own. They pass through untouched, so RBAC is really exercised and the proxy
// itself can do nothing. They must therefore travel in the request (a bearer token, a password, impersonation):
// a client certificate ends where TLS ends, which is here.
//
// # Freezing
//
// A crash is only worth studying if it is known what it interrupted. So a fault first freezes the proxy
// ([Call.Freeze], [Proxy.Freeze]). From then on the operator is as if alone: nothing it sends is forwarded and
// nothing it waits for is answered, in silence, as a dead network is silent. What the API server was already
// working on runs to its end even though the caller is gone, and [Proxy.Quiesce] waits for that: after it, what
// the API server holds is fixed, and every interrupted write has an outcome in [Proxy.Exchanges].
// [Proxy.Thaw] closes the connections of the dead and opens the way for its successor.
//
// Watch events already on their way are the exception: a stream that is open stays open until Thaw. An operator
// can learn from it and can no longer write.
//
// # What stands in the way
//
// An [Interceptor] acts on single requests. Beside it there are conditions, in which the operator lives from one call to
// the other, whichever process it is; they may be combined, with each other and with an Interceptor, and set and ended
// at any time:
//
//   - of watches: [Proxy.Hold] and [Proxy.Release] keep events back; [Proxy.Expire] ends watches with 410, which makes
//     clients relist; [Proxy.Skip] and [Proxy.Resume] leave out what happened in between; [Proxy.Lag] and
//     [Proxy.CatchUp] start an operator in the past. They need [Options.ReadFrames];
//   - of the network: [Proxy.Partition] and [Proxy.Heal], [Proxy.Delay].
//
// Whatever they show is real: every object, in every version, was so on the API server. Where they show it in a way that
// an API server would not, their documentation says so. [Proxy.Delivered] tells what has been shown.
package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

// Options say how a proxy treats what passes through it.
type Options struct {
	// Background picks out the requests that go on when there is nothing to do, such as those of a leader lock.
	// [Proxy.Quiet] does not wait for them; in everything else they are requests like any other. Nil picks none.
	Background func(Request) bool
	// ReadFrames asks for watches in JSON whatever the caller prefers, and records each event they carry. The
	// conditions of watches need it.
	// Clients choose their decoder by the answer's Content-Type, so they do not notice.
	ReadFrames bool
}

// A Proxy forwards the requests of one operator process to an API server.
// Its methods may be called from several goroutines at once.
type Proxy struct {
	upstream *url.URL
	options  Options
	http2    *http.Transport
	upgrade  *http.Transport // speaks HTTP/1.1 only: HTTP/2 has no protocol upgrades (RFC 9113, 8.6)
	url      string
	ca       []byte
	server   *http.Server
	closing  context.Context
	close    context.CancelFunc
	served   chan struct{}

	mu         sync.Mutex
	intercept  Interceptor
	conditions conditions
	journal    journal
	traffic    traffic
	// leaderLocks are the ConfigMaps and Endpoints that are known to be leader locks.
	leaderLocks sets.Set[lockKey]
	life        *life
	streams     map[*stream]struct{} // that are open
	conns       map[net.Conn]struct{}
	changed     chan struct{} // closed and replaced whenever traffic, conns or what was delivered change
}

// New starts a proxy on a free loopback port in front of the API server at upstream, whose certificate
// upstreamCA (PEM) vouches for. It fails when upstream is not an https URL, when upstreamCA holds no
// certificate, or when it cannot listen.
func New(upstream *url.URL, upstreamCA []byte, options Options) (*Proxy, error) {
	if upstream.Scheme != "https" || upstream.Host == "" {
		return nil, fmt.Errorf("upstream %q: want https://host:port", upstream)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(upstreamCA) {
		return nil, errors.New("upstream CA: want at least one PEM certificate")
	}
	ca, certificate, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("make the proxy's certificate: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}

	closing, cancel := context.WithCancel(context.Background())
	p := &Proxy{
		upstream:    upstream,
		options:     options,
		http2:       newTransport(roots, true),
		upgrade:     newTransport(roots, false),
		url:         "https://" + listener.Addr().String(),
		ca:          ca,
		closing:     closing,
		close:       cancel,
		served:      make(chan struct{}),
		journal:     newJournal(),
		traffic:     traffic{lastWrite: time.Now()},
		leaderLocks: sets.New[lockKey](),
		life:        newLife(),
		conns:       map[net.Conn]struct{}{},
		streams:     map[*stream]struct{}{},
		conditions:  newConditions(),
		changed:     make(chan struct{}),
	}
	p.server = &http.Server{
		Handler:     http.HandlerFunc(p.serve),
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		BaseContext: func(net.Listener) context.Context { return closing },
		ConnContext: p.connected,
		ConnState:   p.disconnected,
		ErrorLog:    silent,
	}
	go func() {
		defer close(p.served)
		_ = p.server.ServeTLS(lineListener{listener, p}, "", "") // returns when Close closes the listener
	}()
	return p, nil
}

// silent swallows what net/http has to say about broken connections: breaking them is the proxy's trade, and
// what became of each request is in the journal.
var silent = log.New(io.Discard, "", 0)

func newTransport(roots *x509.CertPool, http2 bool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(http2)
	return &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		Protocols:          protocols,
		DisableCompression: true, // what the caller accepts is the caller's to say
	}
}

// URL is where the operator finds the proxy: https, on loopback.
func (p *Proxy) URL() string { return p.url }

// CA is the certificate authority of the proxy's own making, in PEM, for the operator's kubeconfig.
func (p *Proxy) CA() []byte { return p.ca }

// Close stops listening, ends every request and watch, and returns when nothing of the proxy is left running.
// It waits for interceptors, so an interceptor must not call it.
func (p *Proxy) Close() {
	p.close()
	_ = p.server.Close()
	<-p.served
	_ = p.await(context.Background(), func() bool { return p.traffic.open == 0 && len(p.conns) == 0 })
	p.http2.CloseIdleConnections()
	p.upgrade.CloseIdleConnections()
}

// await returns nil once done, which is asked under the lock whenever traffic or connections change, says so.
func (p *Proxy) await(ctx context.Context, done func() bool) error {
	for {
		p.mu.Lock()
		ok, changed := done(), p.changed
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// announce wakes whoever waits for a change. The caller holds the lock.
func (p *Proxy) announce() {
	close(p.changed)
	p.changed = make(chan struct{})
}
