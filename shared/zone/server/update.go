package server

import (
	"maps"
	"slices"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// update carries out an UPDATE as RFC 2136 section 3 describes it, all or nothing: the contents are
// returned unchanged with any code but NOERROR, and the serial rises only when a record did change.
func (c contents) update(prerequisites, changes []dns.RR) (contents, Rcode) {
	if rcode := c.check(prerequisites); rcode != dns.RcodeSuccess {
		return c, rcode
	}
	if rcode := c.prescan(changes); rcode != dns.RcodeSuccess {
		return c, rcode
	}
	next := contents{c.origin, maps.Clone(c.nodes)}
	touched := map[string]bool{}
	for _, rr := range changes {
		next.change(rr)
		touched[zone.Canonical(rr.Header().Name)] = true
	}
	maps.DeleteFunc(touched, func(name string, _ bool) bool { return sameNode(c.nodes[name], next.nodes[name]) })
	if len(touched) == 0 {
		return c, dns.RcodeSuccess
	}
	if c.soa().Serial == next.soa().Serial {
		next.raiseSerial()
	}
	return next, dns.RcodeSuccess
}

// check evaluates the prerequisite section (section 3.2). RRsets given by value are compared whole, once
// all of their records have been read.
func (c contents) check(prerequisites []dns.RR) Rcode {
	values := map[string]node{}
	for _, rr := range prerequisites {
		h := rr.Header()
		name := zone.Canonical(h.Name)
		at := c.nodes[name]
		switch {
		case !dns.IsSubDomain(c.origin, name):
			return dns.RcodeNotZone
		case h.Ttl != 0:
			return dns.RcodeFormatError
		case h.Class == dns.ClassINET && !meta(h.Rrtype) && h.Rdlength > 0:
			if values[name] == nil {
				values[name] = node{}
			}
			values[name][h.Rrtype] = append(values[name][h.Rrtype], rr)
		case h.Class == dns.ClassINET || h.Rdlength > 0:
			return dns.RcodeFormatError
		case h.Class == dns.ClassANY && h.Rrtype == dns.TypeANY && len(at) == 0:
			return dns.RcodeNameError
		case h.Class == dns.ClassANY && h.Rrtype != dns.TypeANY && len(at[h.Rrtype]) == 0:
			return dns.RcodeNXRrset
		case h.Class == dns.ClassNONE && h.Rrtype == dns.TypeANY && len(at) > 0:
			return dns.RcodeYXDomain
		case h.Class == dns.ClassNONE && h.Rrtype != dns.TypeANY && len(at[h.Rrtype]) > 0:
			return dns.RcodeYXRrset
		case h.Class != dns.ClassANY && h.Class != dns.ClassNONE:
			return dns.RcodeFormatError
		}
	}
	for name, want := range values {
		for rrtype, rrs := range want {
			if !sameRdata(c.nodes[name][rrtype], rrs) {
				return dns.RcodeNXRrset
			}
		}
	}
	return dns.RcodeSuccess
}

// prescan looks for whatever would make the update section fail halfway (section 3.4.1).
func (c contents) prescan(changes []dns.RR) Rcode {
	for _, rr := range changes {
		h := rr.Header()
		if !dns.IsSubDomain(c.origin, zone.Canonical(h.Name)) {
			return dns.RcodeNotZone
		}
		ok := false
		switch h.Class {
		case dns.ClassINET:
			ok = !meta(h.Rrtype) && h.Rdlength > 0
		case dns.ClassNONE:
			ok = !meta(h.Rrtype) && h.Rdlength > 0 && h.Ttl == 0
		case dns.ClassANY:
			ok = (h.Rrtype == dns.TypeANY || !meta(h.Rrtype)) && h.Rdlength == 0 && h.Ttl == 0
		}
		if !ok {
			return dns.RcodeFormatError
		}
	}
	return dns.RcodeSuccess
}

// meta reports whether a type belongs to questions and messages, not to data (RFC 6895 section 3.1).
func meta(rrtype uint16) bool {
	return rrtype == dns.TypeOPT || rrtype >= 128 && rrtype <= 255
}

// change carries out one record of the update section (section 3.4.2), on contents not yet shared.
func (c contents) change(rr dns.RR) {
	h := rr.Header()
	name := zone.Canonical(h.Name)
	at := maps.Clone(c.nodes[name])
	if at == nil {
		at = node{}
	}
	apex := name == c.origin
	switch {
	case h.Class == dns.ClassINET:
		at.add(rr, apex)
	case h.Class == dns.ClassNONE:
		at.remove(rr, apex)
	case h.Rrtype != dns.TypeANY:
		at.clear(h.Rrtype, apex)
	default:
		for rrtype := range at {
			at.clear(rrtype, apex)
		}
	}
	c.nodes[name] = at
	if len(at) == 0 {
		delete(c.nodes, name)
	}
}

// add puts a record in its RRset, in place of one with the same data (section 3.4.2.2). The whole RRset
// takes the new TTL (RFC 2181 section 5.2). A CNAME stands alone, an SOA only ever moves forward.
func (n node) add(rr dns.RR, apex bool) {
	h := rr.Header()
	_, isAlias := n[dns.TypeCNAME]
	switch {
	case h.Rrtype == dns.TypeSOA:
		soa := n[dns.TypeSOA]
		// Serial numbers are compared on a circle (RFC 1982 section 3.2).
		if apex && int32(rr.(*dns.SOA).Serial-soa[0].(*dns.SOA).Serial) > 0 {
			n[dns.TypeSOA] = []dns.RR{rr}
		}
		return
	case h.Rrtype == dns.TypeCNAME && isAlias:
		n[dns.TypeCNAME] = []dns.RR{rr}
		return
	case isAlias || h.Rrtype == dns.TypeCNAME && len(n) > 0:
		return
	}
	var set []dns.RR
	for _, old := range n[h.Rrtype] {
		if !dns.IsDuplicate(old, rr) {
			set = append(set, withTTL(old, h.Ttl))
		}
	}
	n[h.Rrtype] = append(set, rr)
}

// remove takes the record with the given data out of its RRset (section 3.4.2.4); never the SOA, nor
// the last name server of the zone.
func (n node) remove(rr dns.RR, apex bool) {
	wanted := dns.Copy(rr)
	wanted.Header().Class = dns.ClassINET
	rrtype := wanted.Header().Rrtype
	set := slices.DeleteFunc(slices.Clone(n[rrtype]), func(old dns.RR) bool { return dns.IsDuplicate(old, wanted) })
	switch {
	case len(set) > 0 && rrtype != dns.TypeSOA:
		n[rrtype] = set
	case len(set) == 0:
		n.clear(rrtype, apex)
	}
}

// clear removes an RRset (section 3.4.2.3); the SOA and the name servers of the zone stay.
func (n node) clear(rrtype uint16, apex bool) {
	if apex && (rrtype == dns.TypeSOA || rrtype == dns.TypeNS) {
		return
	}
	delete(n, rrtype)
}

func (c contents) raiseSerial() {
	soa := dns.Copy(c.soa()).(*dns.SOA)
	soa.Serial++
	apex := maps.Clone(c.nodes[c.origin])
	apex[dns.TypeSOA] = []dns.RR{soa}
	c.nodes[c.origin] = apex
}

func withTTL(rr dns.RR, ttl uint32) dns.RR {
	if rr.Header().Ttl == ttl {
		return rr
	}
	rr = dns.Copy(rr)
	rr.Header().Ttl = ttl
	return rr
}

func sameNode(a, b node) bool {
	return maps.EqualFunc(a, b, func(x, y []dns.RR) bool {
		return sameRdata(x, y) && x[0].Header().Ttl == y[0].Header().Ttl
	})
}

// sameRdata reports whether two RRsets hold the same data, in any order and whatever their TTLs.
func sameRdata(a, b []dns.RR) bool {
	within := func(rr dns.RR, set []dns.RR) bool {
		return slices.ContainsFunc(set, func(other dns.RR) bool { return dns.IsDuplicate(rr, other) })
	}
	for _, rr := range a {
		if !within(rr, b) {
			return false
		}
	}
	for _, rr := range b {
		if !within(rr, a) {
			return false
		}
	}
	return true
}
