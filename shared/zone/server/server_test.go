package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/rfc2136"
)

const zoneName = "fleet.test."

func started(t *testing.T, config Config) *Server {
	t.Helper()
	config.Zones = []string{zoneName}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// idle is how long a connection on which nothing happens is kept, by default of the DNS library.
const idle = 8 * time.Second

// publish publishes an owner's mark at a name that is free.
func publish(ctx context.Context, s *Server, name string) error {
	c := rfc2136.Client{Server: s.Addr(), Timeout: idle / 2}
	return c.Publish(ctx, zoneName, zone.Entry{Name: name}, zone.Entry{Name: name, Owner: "u", TTL: 30})
}

// TestIntercept: each verdict has the effect on the zone, and on the client, that Intercept lists. A client
// that gets no answer is hung up on, which it takes for the end of the file, rather than left to wait.
func TestIntercept(t *testing.T) {
	cases := []struct {
		name      string
		intercept func(apply func() Rcode) Rcode
		err       error
		applied   bool
	}{
		{"answered", func(apply func() Rcode) Rcode { return apply() }, nil, true},
		{"request lost", func(func() Rcode) Rcode { return NoAnswer }, io.EOF, false},
		{"answer lost", func(apply func() Rcode) Rcode { apply(); return NoAnswer }, io.EOF, true},
		{"refused", func(func() Rcode) Rcode { return dns.RcodeRefused }, zone.ErrRefused, false},
		{"failed", func(func() Rcode) Rcode { return dns.RcodeServerFailure }, zone.ErrUnreachable, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := started(t, Config{Intercept: func(_ context.Context, _ Update, apply func() Rcode) Rcode {
				return c.intercept(apply)
			}})
			if err := publish(t.Context(), s, "web."+zoneName); !errors.Is(err, c.err) {
				t.Errorf("client: %v, want %v", err, c.err)
			}
			if applied := len(s.Entries(zoneName)) == 1; applied != c.applied {
				t.Errorf("applied %t, want %t", applied, c.applied)
			}
		})
	}
}

// TestInterceptSeesUpdate: what is intercepted is what the client sent.
func TestInterceptSeesUpdate(t *testing.T) {
	var seen []string
	s := started(t, Config{Intercept: func(_ context.Context, u Update, apply func() Rcode) Rcode {
		seen = append(seen, fmt.Sprintf("%s %s", u.Zone, u))
		return apply()
	}})
	if err := publish(t.Context(), s, "web."+zoneName); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	want := `fleet.test. web.fleet.test. prereq nxdomain; add TXT "twinloop-owner=u"`
	if len(seen) != 1 || seen[0] != want {
		t.Errorf("saw  %q\nwant %q", seen, want)
	}
}

// TestStopDuringIntercept: an update that is held up by its interceptor does not hold up Stop.
func TestStopDuringIntercept(t *testing.T) {
	held := make(chan struct{})
	s := started(t, Config{Intercept: func(ctx context.Context, _ Update, _ func() Rcode) Rcode {
		close(held)
		<-ctx.Done()
		return NoAnswer
	}})
	result := make(chan error)
	go func() { result <- publish(t.Context(), s, "web."+zoneName) }()
	<-held
	s.Stop()
	if err := <-result; !errors.Is(err, zone.ErrUnreachable) {
		t.Errorf("client: %v, want %v", err, zone.ErrUnreachable)
	}
}

// TestReturn: after a Stop the port is free for others; after another Start the data are there, on it.
func TestReturn(t *testing.T) {
	s := started(t, Config{})
	if err := publish(t.Context(), s, "web."+zoneName); err != nil {
		t.Fatal(err)
	}
	address, before := s.Addr(), s.Snapshot(zoneName)
	s.Stop()
	s.Stop()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	if err := s.Start(); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("on a taken port: %v, want %v", err, syscall.EADDRINUSE)
	}
	listener.Close()
	for range 2 {
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if s.Addr() != address || len(s.Snapshot(zoneName)) != len(before) {
		t.Errorf("came back on %s with %v, want %s with %v", s.Addr(), s.Snapshot(zoneName), address, before)
	}
}

// TestTruncation: an answer too large for UDP says so, and the client's second question over TCP is
// answered whole.
func TestTruncation(t *testing.T) {
	s := started(t, Config{})
	update := new(dns.Msg).SetUpdate(zoneName)
	for i := range 100 {
		rr, err := dns.NewRR(fmt.Sprintf("web.fleet.test. 30 IN A 10.0.0.%d", i))
		if err != nil {
			t.Fatal(err)
		}
		update.Ns = append(update.Ns, rr)
	}
	ask := func(network string, m *dns.Msg) *dns.Msg {
		c := dns.Client{Net: network, Timeout: time.Minute}
		reply, _, err := c.ExchangeContext(t.Context(), m, s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	ask("tcp", update)
	question := new(dns.Msg).SetQuestion("web.fleet.test.", dns.TypeA)
	if reply := ask("udp", question); !reply.Truncated || len(reply.Answer) == 100 {
		t.Errorf("over UDP: truncated %t, %d records", reply.Truncated, len(reply.Answer))
	}
	if reply := ask("udp", question.Copy().SetEdns0(4096, false)); reply.Truncated || len(reply.Answer) != 100 {
		t.Errorf("over UDP with EDNS: truncated %t, %d records", reply.Truncated, len(reply.Answer))
	}
	if reply := ask("tcp", question); reply.Truncated || len(reply.Answer) != 100 {
		t.Errorf("over TCP: truncated %t, %d records", reply.Truncated, len(reply.Answer))
	}
}

// TestSiblings: each sibling intercepts what comes through it alone and can be stopped alone, and all hold the same.
func TestSiblings(t *testing.T) {
	seen := map[string]int{}
	through := func(client string) Intercept {
		return func(_ context.Context, _ Update, apply func() Rcode) Rcode {
			seen[client]++
			return apply()
		}
	}
	first := started(t, Config{Intercept: through("first")})
	second := first.Sibling("", through("second"))
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Stop)
	if first.Addr() == second.Addr() {
		t.Errorf("both listen on %s", first.Addr())
	}
	if err := publish(t.Context(), first, "web."+zoneName); err != nil {
		t.Fatal(err)
	}
	if err := publish(t.Context(), second, "web."+zoneName); !errors.Is(err, zone.ErrConflict) {
		t.Errorf("the same name once more: %v, want %v", err, zone.ErrConflict)
	}
	if err := publish(t.Context(), second, "api."+zoneName); err != nil {
		t.Fatal(err)
	}
	if n := len(first.Entries(zoneName)); n != 2 {
		t.Errorf("the first holds %d names, want 2", n)
	}

	first.Stop()
	if err := publish(t.Context(), first, "cut."+zoneName); !errors.Is(err, zone.ErrUnreachable) {
		t.Errorf("through the one that is stopped: %v, want %v", err, zone.ErrUnreachable)
	}
	if err := publish(t.Context(), second, "off."+zoneName); err != nil {
		t.Errorf("through the one that is not: %v", err)
	}
	second.Stop()
	if n := len(first.Snapshot(zoneName)); seen["first"] != 1 || seen["second"] != 3 || n != 2+3 {
		t.Errorf("updates by client %v, %d records", seen, n)
	}
}

func TestNewRejects(t *testing.T) {
	for _, zones := range [][]string{nil, {""}, {"fleet_test."}, {"a.test.", "A.test"}} {
		if _, err := New(Config{Zones: zones}); err == nil {
			t.Errorf("zones %q are taken", zones)
		}
	}
}

// TestNestedZones: a name is looked up in the zone closest to it.
func TestNestedZones(t *testing.T) {
	s, err := New(Config{Zones: []string{"test.", "fleet.test."}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"web.fleet.test.": "fleet.test.", "fleet.test.": "fleet.test.",
		"efleet.test.": "test.", "org.": ""} {
		if c, served := s.zones.find(name); c.origin != want || served != (want != "") {
			t.Errorf("%s is in %q (served %t), want %q", name, c.origin, served, want)
		}
	}
}
