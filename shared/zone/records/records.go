// Package records maps entries to DNS resource records and back.
package records

import (
	"net"
	"net/netip"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// Types are the record types that an entry is made of. Whoever writes an entry writes all of them whole.
var Types = []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeTXT}

// Encode returns an entry's records: one A or AAAA for each address, and the owner's TXT.
func Encode(entry zone.Entry) ([]dns.RR, error) {
	entry = entry.Normalize()
	if err := entry.Validate(); err != nil {
		return nil, err
	}
	var rrs []dns.RR
	for _, address := range entry.Addresses {
		header := dns.RR_Header{Name: entry.Name, Class: dns.ClassINET, Ttl: entry.TTL}
		if address.Is4() {
			header.Rrtype = dns.TypeA
			rrs = append(rrs, &dns.A{Hdr: header, A: address.AsSlice()})
		} else {
			header.Rrtype = dns.TypeAAAA
			rrs = append(rrs, &dns.AAAA{Hdr: header, AAAA: address.AsSlice()})
		}
	}
	mark, err := Owner(entry.Name, entry.Owner)
	if err != nil {
		return nil, err
	}
	mark.Hdr.Ttl = entry.TTL
	return append(rrs, mark), nil
}

// Owner returns the TXT record that marks a name as the owner's, with a TTL of 0.
func Owner(name, owner string) (*dns.TXT, error) {
	text, err := zone.OwnerText(owner)
	if err != nil {
		return nil, err
	}
	header := dns.RR_Header{Name: zone.Canonical(name), Rrtype: dns.TypeTXT, Class: dns.ClassINET}
	return &dns.TXT{Hdr: header, Txt: []string{text}}, nil
}

// Decode reads the entry at a name out of records, of which those of other names are skipped. The name
// is owned only when its TXT records are one and that one is an owner's; in use otherwise, it is foreign.
func Decode(name string, rrs []dns.RR) zone.Entry {
	entry := zone.Entry{Name: zone.Canonical(name)}
	var marks []*dns.TXT
	ttls := map[uint32]bool{}
	for _, rr := range rrs {
		if zone.Canonical(rr.Header().Name) != entry.Name {
			continue
		}
		entry.Foreign = true
		switch rr := rr.(type) {
		case *dns.A:
			entry.Addresses = append(entry.Addresses, address(rr.A))
		case *dns.AAAA:
			entry.Addresses = append(entry.Addresses, address(rr.AAAA))
		case *dns.TXT:
			marks = append(marks, rr)
		default:
			continue
		}
		entry.TTL = rr.Header().Ttl
		ttls[entry.TTL] = true
	}
	if len(ttls) > 1 {
		entry.TTL = 0
	}
	if len(marks) == 1 && len(marks[0].Txt) == 1 {
		owner, ok := zone.ParseOwner(marks[0].Txt[0])
		entry.Owner, entry.Foreign = owner, !ok
	}
	return entry.Normalize()
}

func address(ip net.IP) netip.Addr {
	address, _ := netip.AddrFromSlice(ip)
	return address.Unmap()
}
