package rfc2136

import (
	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/records"
)

func question(name string, rrtype uint16) *dns.Msg {
	m := new(dns.Msg).SetQuestion(zone.Canonical(name), rrtype)
	m.RecursionDesired = false
	return m
}

// publication is the update that makes a name hold want. Its prerequisite is that the name is not in use
// (RFC 2136 section 2.4.5), or that its TXT RRset is the owner's mark and nothing else (section 2.4.2).
func publication(zoneName string, free bool, want zone.Entry) (*dns.Msg, error) {
	wanted, err := records.Encode(want)
	if err != nil {
		return nil, err
	}
	m := update(zoneName)
	if free {
		m.NameNotUsed(wanted[:1])
	} else if err := clearOwned(m, want.Name, want.Owner); err != nil {
		return nil, err
	}
	m.Insert(wanted)
	return m, nil
}

// withdrawal is the update that removes an entry from a name that is still the owner's.
func withdrawal(zoneName, name, owner string) (*dns.Msg, error) {
	m := update(zoneName)
	return m, clearOwned(m, name, owner)
}

// clearOwned makes an update clear the RRsets of an entry, provided that the owner's mark is there.
func clearOwned(m *dns.Msg, name, owner string) error {
	mark, err := records.Owner(name, owner)
	if err != nil {
		return err
	}
	m.Used([]dns.RR{mark})
	for _, rrtype := range records.Types {
		m.RemoveRRset([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: mark.Hdr.Name, Rrtype: rrtype}}})
	}
	return nil
}

// update starts an update of a zone. Names are compressed, so that thousands of addresses fit.
func update(zoneName string) *dns.Msg {
	m := new(dns.Msg).SetUpdate(zone.Canonical(zoneName))
	m.Compress = true
	return m
}
