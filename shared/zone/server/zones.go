package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/records"
)

// zones are the data of a server and its siblings. Each answer is of one moment, each update one step, whichever of them
// it goes through.
type zones struct {
	mu       sync.Mutex
	byOrigin map[string]contents
}

// snapshot returns all records of a zone at one moment.
func (z *zones) snapshot(zoneName string) []dns.RR {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.byOrigin[zone.Canonical(zoneName)].all()
}

// entries returns what a zone holds below its apex, one entry a name, sorted by name.
func (z *zones) entries(zoneName string) []zone.Entry {
	byName := map[string][]dns.RR{}
	for _, rr := range z.snapshot(zoneName) {
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
func (z *zones) find(name string) (contents, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	var best contents
	for origin, c := range z.byOrigin {
		if dns.IsSubDomain(origin, name) && len(origin) > len(best.origin) {
			best = c
		}
	}
	return best, best.origin != ""
}

// apply carries out an update's prerequisites and changes as one step.
func (z *zones) apply(u Update) Rcode {
	z.mu.Lock()
	defer z.mu.Unlock()
	current, served := z.byOrigin[u.Zone]
	if !served {
		return dns.RcodeNotAuth
	}
	next, rcode := current.update(u.Prerequisites, u.Changes)
	z.byOrigin[u.Zone] = next
	return rcode
}
