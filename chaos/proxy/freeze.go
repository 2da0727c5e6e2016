package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// A life is the time of one operator process, from its first connection to the freeze that ends it. Every
// connection belongs to the life in which it was accepted, so that what a killed process has left in a socket's
// buffer is never mistaken for a request of its successor.
type life struct {
	ended     bool               // guarded by Proxy.mu
	delivered map[Watched]string // versions of objects that a watch has passed on, guarded by Proxy.mu
	buried    chan struct{}      // closed by Thaw
}

func newLife() *life { return &life{delivered: map[Watched]string{}, buried: make(chan struct{})} }

// Freeze ends the life of the operator as far as the API server is concerned: see the package's documentation.
// It reports false, and does nothing, when the proxy is frozen already.
func (p *Proxy) Freeze() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life.end()
}

// Freeze is [Proxy.Freeze] for the operator that made the call: it reports false, too, when the call is a
// predecessor's.
func (c *Call) Freeze() bool {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	return c.life.end()
}

func (l *life) end() bool {
	began := !l.ended
	l.ended = true
	return began
}

// Quiesce waits until the API server has answered every write that was forwarded to it. On a frozen proxy nothing
// is forwarded any more, so what the API server holds is then fixed. It returns the error of ctx if that is done
// first.
func (p *Proxy) Quiesce(ctx context.Context) error {
	return p.await(ctx, func() bool { return p.traffic.unanswered == 0 })
}

// Thaw closes every connection there is and lets in those that come: the successor's. Start it after Thaw.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life.end()
	close(p.life.buried)
	p.life = newLife()
	for conn := range p.conns {
		// Past TLS, which would take the time to say goodbye to a peer that may be stopped.
		conn.(*tls.Conn).NetConn().Close()
	}
}

type lifeKey struct{}

// connected notes a connection and the life it belongs to.
func (p *Proxy) connected(ctx context.Context, conn net.Conn) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[conn] = struct{}{}
	p.announce()
	return context.WithValue(ctx, lifeKey{}, p.life)
}

// disconnected forgets a connection that has ended or has been handed to a protocol upgrade.
func (p *Proxy) disconnected(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	p.announce()
}
