package proxy

import (
	"net"
	"sync"
)

// A Part is the part of an operator's traffic that a partition cuts off.
type Part int

const (
	// All is a dead network: not a byte moves on any connection, HTTP/2 pings included; new connections come about, for
	// the kernel accepts them, and TLS handshakes hang. After Heal bytes flow again as TCP's retransmissions do. What
	// the caller has handed to the kernel by then still arrives, even if it has given up on it since.
	All Part = iota + 1
	// OnlyLeases silences requests for leader locks, which are Leases for most operators: they are not forwarded, the
	// answers to those that were are lost, and callers wait until they give up or, at Heal, their connection breaks. Open
	// watches stall, and go on after Heal, if [Options.ReadFrames] is set.
	OnlyLeases
	// AllButLeases is the same for all other requests.
	AllButLeases
)

// Partition cuts a part of the operator's traffic off from now on, in place of any part before it.
func (p *Proxy) Partition(part Part) {
	p.change(func(c *conditions) { c.partition = part })
}

// Heal ends the partition.
func (p *Proxy) Heal() { p.Partition(0) }

// cuts tells whether a request, or the watch that it opened, is among the traffic cut off.
func (part Part) cuts(r Request) bool {
	return part == All || part == OnlyLeases && r.LeaderLock || part == AllButLeases && !r.LeaderLock
}

// cross waits while a partition cuts the call off. A network that was dead brings then what was under way; where only
// some requests were silenced, the connection of this one breaks.
func (c *Call) cross() error {
	err := c.until(c.caller, func(now *conditions) bool { return !c.cutOff(now) })
	if err == nil && c.broken {
		return ErrDropped
	}
	return err
}

// cutOff tells whether the call is cut off, and notes if its connection has to break for it. It is asked where the call
// crosses and, lest a Heal come between, in the instants when it arrives and is answered. Proxy.mu must be held.
func (c *Call) cutOff(now *conditions) bool {
	cut := now.partition.cuts(c.Request)
	c.broken = c.broken || cut && now.partition != All
	return cut
}

// A lineListener accepts connections that a partition of All can stall.
type lineListener struct {
	net.Listener
	proxy *Proxy
}

func (l lineListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &line{Conn: conn, proxy: l.proxy, hungUp: make(chan struct{})}, nil
}

// A line is a connection on which nothing moves while the network is dead: what has come in is not read out, the end of
// the connection included, and what is to go out waits. Only hanging up on this side ends the wait.
type line struct {
	net.Conn
	proxy  *Proxy
	hangUp sync.Once
	hungUp chan struct{}
}

func (l *line) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if !l.alive() {
		return 0, net.ErrClosed
	}
	return n, err
}

func (l *line) Write(b []byte) (int, error) {
	if !l.alive() {
		return 0, net.ErrClosed
	}
	return l.Conn.Write(b)
}

func (l *line) Close() error {
	l.hangUp.Do(func() { close(l.hungUp) })
	return l.Conn.Close()
}

// alive waits while the network is dead, and reports false if the connection is closed first.
func (l *line) alive() bool {
	for {
		l.proxy.mu.Lock()
		dead, changed := l.proxy.conditions.partition == All, l.proxy.conditions.changed
		l.proxy.mu.Unlock()
		if !dead {
			return true
		}
		select {
		case <-changed:
		case <-l.hungUp:
			return false
		case <-l.proxy.closing.Done():
			return false
		}
	}
}
