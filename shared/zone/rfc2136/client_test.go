package rfc2136_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/rfc2136"
	"example.com/twinloop/shared/zone/server"
	"example.com/twinloop/shared/zone/tsig"
)

const (
	zoneName = "fleet.test."
	name     = "web.fleet.test."
	owner    = "u-1"
)

// operations are all that a client does, each on a name it believes free or its own.
var operations = map[string]func(context.Context, *rfc2136.Client) error{
	"lookup": func(ctx context.Context, c *rfc2136.Client) error {
		_, err := c.Lookup(ctx, zoneName, name)
		return err
	},
	"publish": func(ctx context.Context, c *rfc2136.Client) error {
		return c.Publish(ctx, zoneName, zone.Entry{Name: name}, zone.Entry{Name: name, Owner: owner, TTL: 30})
	},
	"withdraw": func(ctx context.Context, c *rfc2136.Client) error {
		return c.Withdraw(ctx, zoneName, name, owner)
	},
}

// listen accepts connections for the length of a test, and hands each to serve.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// TestNoAnswer: a server that hangs up, one that stays silent and one that talks nonsense are all
// unavailable, in words that stay the same.
func TestNoAnswer(t *testing.T) {
	servers := map[string]func(net.Conn){
		"hangs up":       func(net.Conn) {},
		"stays silent":   func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"talks nonsense": func(conn net.Conn) { _, _ = conn.Write([]byte("\x00\x0dHTTP/1.0 400 ")) },
	}
	for title, serve := range servers {
		address := listen(t, serve)
		want := "DNS server is unavailable: " + address + " gave no answer that can be relied on"
		for operation, run := range operations {
			t.Run(title+", "+operation, func(t *testing.T) {
				err := run(t.Context(), &rfc2136.Client{Server: address, Timeout: 50 * time.Millisecond})
				if !errors.Is(err, zone.ErrUnreachable) || err.Error() != want {
					t.Errorf("error %q\nwant  %q", err, want)
				}
			})
		}
	}
}

// TestCancel: an operation ends with its context, however long its timeout.
func TestCancel(t *testing.T) {
	asked := make(chan struct{})
	address := listen(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1))
		asked <- struct{}{}
		_, _ = io.Copy(io.Discard, conn)
	})
	for operation, run := range operations {
		t.Run(operation, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error)
			go func() { result <- run(ctx, &rfc2136.Client{Server: address, Timeout: time.Hour}) }()
			<-asked
			cancel()
			if err := <-result; !errors.Is(err, context.Canceled) || errors.Is(err, zone.ErrUnreachable) {
				t.Errorf("error %v, want %v only", err, context.Canceled)
			}
		})
	}
}

// answering is a server that says yes to everything, in the way that dress adds to it.
func answering(t *testing.T, dress func(conn *dns.Conn, reply *dns.Msg)) string {
	return listen(t, func(conn net.Conn) {
		c := &dns.Conn{Conn: conn}
		request, err := c.ReadMsg()
		if request == nil {
			t.Errorf("request: %v", err)
			return
		}
		reply := new(dns.Msg).SetReply(request)
		dress(c, reply)
		if err := c.WriteMsg(reply); err != nil {
			t.Errorf("reply: %v", err)
		}
	})
}

// TestUntrustedAnswer: to a client with a key, an answer that the key did not sign is no answer, even one
// that reports success.
func TestUntrustedAnswer(t *testing.T) {
	mine, err := tsig.NewKey("fleet-key", "hmac-sha256", "bWluZQ==")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := tsig.NewKey("fleet-key", "hmac-sha256", "dGhlaXJz")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]func(conn *dns.Conn, reply *dns.Msg){
		"not signed": func(_ *dns.Conn, reply *dns.Msg) { reply.Authoritative = true },
		"signed with another secret": func(conn *dns.Conn, reply *dns.Msg) {
			reply.Authoritative = true
			conn.TsigProvider = tsig.Keyring{theirs}
			reply.SetTsig(theirs.Name, theirs.Algorithm, 300, time.Now().Unix())
		},
	}
	for title, dress := range answers {
		address := answering(t, dress)
		for operation, run := range operations {
			t.Run(title+", "+operation, func(t *testing.T) {
				err := run(t.Context(), &rfc2136.Client{Server: address, Key: mine, Timeout: time.Minute})
				if !errors.Is(err, zone.ErrUnreachable) {
					t.Errorf("error %v, want %v", err, zone.ErrUnreachable)
				}
			})
		}
	}
}

// TestResolver: what a server that is not the zone's own says of a name is not believed.
func TestResolver(t *testing.T) {
	address := answering(t, func(*dns.Conn, *dns.Msg) {})
	_, err := (&rfc2136.Client{Server: address, Timeout: time.Minute}).Lookup(t.Context(), zoneName, name)
	want := "DNS server refused: " + address + " is not authoritative for fleet.test.: point at the zone's primary server"
	if !errors.Is(err, zone.ErrRefused) || err.Error() != want {
		t.Errorf("error %q\nwant  %q", err, want)
	}
}

// TestBadEntry: what cannot be published is said before any server is asked.
func TestBadEntry(t *testing.T) {
	c := &rfc2136.Client{Server: "127.0.0.1:0"}
	for title, want := range map[string]zone.Entry{
		"no owner": {Name: name},
		"no name":  {Owner: owner},
	} {
		err := c.Publish(t.Context(), zoneName, zone.Entry{Name: name}, want)
		if err == nil || errors.Is(err, zone.ErrUnreachable) {
			t.Errorf("%s: error %v", title, err)
		}
	}
	if err := c.Withdraw(t.Context(), zoneName, name, ""); err == nil || errors.Is(err, zone.ErrUnreachable) {
		t.Errorf("withdrawal without an owner: error %v", err)
	}
}

// TestLostAnswer: a publication whose answer was lost is found by the next look, and goes on from there.
func TestLostAnswer(t *testing.T) {
	var lost atomic.Bool
	s, err := server.New(server.Config{Zones: []string{zoneName},
		Intercept: func(_ context.Context, _ server.Update, apply func() server.Rcode) server.Rcode {
			rcode := apply()
			if lost.CompareAndSwap(false, true) {
				return server.NoAnswer
			}
			return rcode
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	c := &rfc2136.Client{Server: s.Addr()}
	want := zone.Entry{Name: name, Owner: owner, TTL: 30}
	if err := c.Publish(t.Context(), zoneName, zone.Entry{Name: name}, want); !errors.Is(err, zone.ErrUnreachable) {
		t.Fatalf("error %v, want %v", err, zone.ErrUnreachable)
	}
	held, err := c.Lookup(t.Context(), zoneName, name)
	if err != nil || !held.Equal(want) {
		t.Fatalf("read %+v, %v; want %+v", held, err, want)
	}
	want.TTL = 60
	if err := c.Publish(t.Context(), zoneName, held, want); err != nil {
		t.Fatal(err)
	}
}
