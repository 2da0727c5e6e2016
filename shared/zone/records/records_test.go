package records

import (
	"net/netip"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"example.com/twinloop/shared/zone"
)

// TestRoundTrip: an entry is what its records say it is.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := zone.Entry{Name: "web.fleet.test.", Owner: "u-1", TTL: rapid.Uint32().Draw(t, "ttl")}
		for _, v6 := range rapid.SliceOf(rapid.Bool()).Draw(t, "families") {
			bytes := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address")
			if !v6 {
				bytes = bytes[:4]
			}
			address, _ := netip.AddrFromSlice(bytes)
			want.Addresses = append(want.Addresses, address)
		}
		rrs, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := Decode(want.Name, rapid.Permutation(rrs).Draw(t, "order")); !got.Equal(want) {
			t.Fatalf("decoded %+v, want %+v", got, want)
		}
	})
}

func TestDecode(t *testing.T) {
	const mark = `web.test. 30 IN TXT "twinloop-owner=u"`
	cases := []struct {
		name string
		rrs  []string
		want zone.Entry
	}{
		{"nothing", nil, zone.Entry{}},
		{"another name's", []string{`api.test. 30 IN TXT "twinloop-owner=u"`}, zone.Entry{}},
		{"the mark only", []string{mark}, zone.Entry{Owner: "u", TTL: 30}},
		{"the mark beside another type", []string{mark, "web.test. 60 IN MX 10 mail.test."}, zone.Entry{Owner: "u", TTL: 30}},
		{"TTLs that disagree", []string{mark, "web.test. 60 IN A 10.0.0.1"},
			zone.Entry{Owner: "u", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1")}}},
		{"two marks", []string{mark, `web.test. 30 IN TXT "twinloop-owner=v"`}, zone.Entry{Foreign: true, TTL: 30}},
		{"a mark in two strings", []string{`web.test. 30 IN TXT "twinloop-owner=" "u"`}, zone.Entry{Foreign: true, TTL: 30}},
		{"an alias", []string{"web.test. 30 IN CNAME api.test."}, zone.Entry{Foreign: true}},
		{"another type only", []string{"web.test. 60 IN MX 10 mail.test."}, zone.Entry{Foreign: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var rrs []dns.RR
			for _, text := range c.rrs {
				rr, err := dns.NewRR(text)
				if err != nil {
					t.Fatal(err)
				}
				rrs = append(rrs, rr)
			}
			c.want.Name = "web.test."
			if got := Decode("WEB.test", rrs); !got.Equal(c.want) {
				t.Errorf("decoded %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestEncodeRejects(t *testing.T) {
	for _, entry := range []zone.Entry{
		{Name: "web.test."},
		{Owner: "u"},
		{Name: "web.test.", Owner: "u", Addresses: []netip.Addr{{}}},
	} {
		if rrs, err := Encode(entry); err == nil {
			t.Errorf("%+v gives %v", entry, rrs)
		}
	}
}
