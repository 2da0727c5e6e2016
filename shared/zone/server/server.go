// Package server is a small authoritative DNS server for tests, drills and trying things out. It holds
// its zones in memory and speaks as much of the protocol as it takes to stand in for BIND where a
// publisher is concerned: queries, dynamic update (RFC 2136), TSIG (RFC 8945) and AXFR (RFC 5936).
// It follows no wildcard, delegation or alias.
package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/records"
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

	mu      sync.Mutex
	zones   map[string]contents // by origin
	address string              // fixed by the first Start
	run     *run                // nil while stopped
}

// New returns a stopped server whose zones hold an SOA and an NS record.
func New(config Config) (*Server, error) {
	s := &Server{
		keys:      config.Keys,
		intercept: config.Intercept,
		zones:     map[string]contents{},
		address:   config.Listen,
	}
	if s.address == "" {
		s.address = "127.0.0.1:0"
	}
	if s.intercept == nil {
		s.intercept = func(_ context.Context, _ Update, apply func() Rcode) Rcode { return apply() }
	}
	if len(config.Zones) == 0 {
		return nil, errors.New("no zone to serve: name at least one")
	}
	for _, name := range config.Zones {
		if err := zone.ValidateName(name); err != nil {
			return nil, err
		}
		origin := zone.Canonical(name)
		if _, named := s.zones[origin]; named {
			return nil, fmt.Errorf("%s is named twice: name each zone once", origin)
		}
		s.zones[origin] = newContents(origin)
	}
	return s, nil
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
func (s *Server) Snapshot(zoneName string) []dns.RR {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.zones[zone.Canonical(zoneName)].all()
}

// Entries returns what a zone holds below its apex, one entry a name, sorted by name.
func (s *Server) Entries(zoneName string) []zone.Entry {
	byName := map[string][]dns.RR{}
	for _, rr := range s.Snapshot(zoneName) {
		name := zone.Canonical(rr.Header().Name)
		byName[name] = append(byName[name], rr)
	}
	delete(byName, zone.Canonical(zoneName))
	var entries []zone.Entry
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		entries = append(entries, records.Decode(name, byName[name]))
	}
	return entries
}

// find returns the contents of the served zone that a name lies in, the closest one when zones nest.
func (s *Server) find(name string) (contents, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best contents
	for origin, c := range s.zones {
		if dns.IsSubDomain(origin, name) && len(origin) > len(best.origin) {
			best = c
		}
	}
	return best, best.origin != ""
}

// apply carries out an update's prerequisites and changes as one step.
func (s *Server) apply(u Update) Rcode {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, served := s.zones[u.Zone]
	if !served {
		return dns.RcodeNotAuth
	}
	next, rcode := current.update(u.Prerequisites, u.Changes)
	s.zones[u.Zone] = next
	return rcode
}
