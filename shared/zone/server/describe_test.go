package server

import (
	"fmt"
	"testing"

	"github.com/miekg/dns"
)

func TestUpdateString(t *testing.T) {
	bare := func(name string, class, rrtype uint16) dns.RR {
		return &dns.ANY{Hdr: dns.RR_Header{Name: name, Class: class, Rrtype: rrtype}}
	}
	record := func(text string) dns.RR {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		return rr
	}
	var many []dns.RR
	for i := range 100 {
		many = append(many, record(fmt.Sprintf("web. 30 IN A 10.0.0.%d", i)))
	}
	cases := []struct {
		u    Update
		want string
	}{
		{Update{}, ""},
		{Update{Prerequisites: []dns.RR{bare("web.", dns.ClassNONE, dns.TypeANY)}, Changes: many},
			"web. prereq nxdomain; add A 10.0.0.0, 10.0.0.1, 10.0.0.2, 10.0.0.3 and 96 more"},
		{Update{Prerequisites: []dns.RR{record(`web. 0 IN TXT "x"`)},
			Changes: []dns.RR{bare("web.", dns.ClassANY, dns.TypeA), bare("web.", dns.ClassANY, dns.TypeTXT)}},
			`web. prereq yxrrset TXT "x"; delete A, TXT`},
		{Update{Prerequisites: []dns.RR{bare("web.", dns.ClassANY, dns.TypeANY), bare("web.", dns.ClassANY, dns.TypeA),
			bare("web.", dns.ClassNONE, dns.TypeTXT)}, Changes: []dns.RR{record("api. 0 NONE A 10.0.0.1")}},
			"web. prereq yxdomain; prereq yxrrset A; prereq nxrrset TXT; api. delete A 10.0.0.1"},
	}
	for _, c := range cases {
		if got := c.u.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
