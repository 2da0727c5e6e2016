package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// contents are the records of one zone, as a value: an update makes new contents and leaves the old ones
// as they were, so what was once handed out never changes.
type contents struct {
	origin string
	nodes  map[string]node // by canonical name; never an empty node
}

// node is what one name holds: its RRsets, by type; never an empty one.
type node map[uint16][]dns.RR

// newContents returns a zone with the two records that every zone has at its apex (RFC 1034 section
// 4.2.1). The name server is called localhost, so that the zone needs no address of its own.
func newContents(origin string) contents {
	const ttl, refresh, retry, expire, negative = 300, 3600, 600, 86400, 5
	header := func(rrtype uint16) dns.RR_Header {
		return dns.RR_Header{Name: origin, Rrtype: rrtype, Class: dns.ClassINET, Ttl: ttl}
	}
	soa := &dns.SOA{Hdr: header(dns.TypeSOA), Ns: "localhost.", Mbox: "hostmaster." + origin, Serial: 1,
		Refresh: refresh, Retry: retry, Expire: expire, Minttl: negative}
	ns := &dns.NS{Hdr: header(dns.TypeNS), Ns: "localhost."}
	return contents{origin, map[string]node{origin: {dns.TypeSOA: {soa}, dns.TypeNS: {ns}}}}
}

func (c contents) soa() *dns.SOA { return c.nodes[c.origin][dns.TypeSOA][0].(*dns.SOA) }

// exists reports whether a name has records, or is on the way to one that has (RFC 4592 section 2.2.2).
func (c contents) exists(name string) bool {
	if _, ok := c.nodes[name]; ok {
		return true
	}
	for below := range c.nodes {
		if dns.IsSubDomain(name, below) {
			return true
		}
	}
	return false
}

// all returns every record, SOA first.
func (c contents) all() []dns.RR {
	var rrs []dns.RR
	for _, node := range c.nodes {
		rrs = append(rrs, node.all()...)
	}
	slices.SortStableFunc(rrs, c.compare)
	return rrs
}

func (c contents) compare(a, b dns.RR) int {
	rank := func(rr dns.RR) int {
		switch {
		case rr.Header().Rrtype == dns.TypeSOA:
			return 0
		case zone.Canonical(rr.Header().Name) == c.origin:
			return 1
		default:
			return 2
		}
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(zone.Canonical(a.Header().Name), zone.Canonical(b.Header().Name)),
		cmp.Compare(a.Header().Rrtype, b.Header().Rrtype),
	)
}

// all returns the records of one name, by type.
func (n node) all() []dns.RR {
	var rrs []dns.RR
	for _, rrtype := range slices.Sorted(maps.Keys(n)) {
		rrs = append(rrs, n[rrtype]...)
	}
	return rrs
}
