// Package server is a small authoritative DNS server for tests, drills and trying things out. It holds
// its zones in memory and speaks as much of the protocol as it takes to stand in for BIND where a
// publisher is concerned: queries, dynamic update (RFC 2136), TSIG (RFC 8945) and AXFR (RFC 5936).
// It follows no wildcard, delegation or alias.
package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/tsig"
)

// Config says what a server serves, where and to whom.
type Config struct {
	// Listen is the host:port for UDP and TCP; empty means a free port on 127.0.0.1.
	Listen string
	// Zones are the zones the server is authoritative for; at least one.
	Zones []string
	// Keys, when there are any, are required of every update. Queries and transfers are open to all.
	Keys []*tsig.Key
	// Intercept, when set, stands around every update.
	Intercept Intercept
}

// Server serves the zones of its configuration between Start and Stop. Its data outlive both: a server
// that is started again comes back on the same port with what it held.
type Server struct {
	keys      tsig.Keyring
	intercept Intercept
	zones     *zones

	mu      sync.Mutex
	address string // fixed by the first Start
	run     *run   // nil while stopped
}

// New returns a stopped server whose zones hold an SOA and an NS record.
func New(config Config) (*Server, error) {
	if len(config.Zones) == 0 {
		return nil, errors.New("no zone to serve: name at least one")
	}
	byOrigin := map[string]contents{}
	for _, name := range config.Zones {
		if err := zone.ValidateName(name); err != nil {
			return nil, err
		}
		origin := zone.Canonical(name)
		if _, named := byOrigin[origin]; named {
			return nil, fmt.Errorf("%s is named twice: name each zone once", origin)
		}
		byOrigin[origin] = newContents(origin)
	}
	return newServer(&zones{byOrigin: byOrigin}, config.Keys, config.Listen, config.Intercept), nil
}

// Sibling returns a stopped server of the same zones, one and the same data, under the same keys, with a host:port and
// an Intercept of its own (see [Config]). So it is known who sent an update, where each client is given a sibling of its
// own, and one client can be cut off while the others go on.
func (s *Server) Sibling(listen string, intercept Intercept) *Server {
	return newServer(s.zones, s.keys, listen, intercept)
}

func newServer(zones *zones, keys tsig.Keyring, listen string, intercept Intercept) *Server {
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if intercept == nil {
		intercept = func(_ context.Context, _ Update, apply func() Rcode) Rcode { return apply() }
	}
	return &Server{keys: keys, intercept: intercept, zones: zones, address: listen}
}

// Start begins to serve. It returns when queries are answered, or with the reason the address cannot be
// listened on. Starting a running server does nothing.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		return nil
	}
	listener, packets, err := listen(s.address)
	if err != nil {
		return err
	}
	s.address = listener.Addr().String()
	s.run = serve(s, listener, packets)
	return nil
}

// Stop ends serving: the port is closed, open connections are, and no goroutine is left. An update that
// is being intercepted is waited for; its context is done. Stopping a stopped server does nothing.
func (s *Server) Stop() {
	s.mu.Lock()
	running := s.run
	s.run = nil
	s.mu.Unlock()
	if running != nil {
		running.stop()
	}
}

// Addr returns the host:port served, known after the first Start and unchanged by a Stop.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// Snapshot returns all records of a zone at one moment, SOA first, the others by name and type; nothing
// for a zone that is not served. The records are the server's own, and not to be changed.
func (s *Server) Snapshot(zoneName string) []dns.RR { return s.zones.snapshot(zoneName) }

// Entries returns what a zone holds below its apex, one entry a name, sorted by name.
func (s *Server) Entries(zoneName string) []zone.Entry { return s.zones.entries(zoneName) }
