package zone

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

func TestFQDN(t *testing.T) {
	long := strings.Repeat("a", 63)
	cases := []struct{ fleet, namespace, zone, want, err string }{
		{"web", "demo", "fleet.test.", "web.demo.fleet.test.", ""},
		{"web", "demo", "fleet.test", "web.demo.fleet.test.", ""},
		{"web", "demo", "Fleet.TEST.", "web.demo.fleet.test.", ""},
		{"web.v1", "demo", "fleet.test.", "web.v1.demo.fleet.test.", ""},
		{long, long, long + ".", long + "." + long + "." + long + ".", ""},
		{"web", "demo", "", "", `zone: "" is not a domain name: give one such as fleet.example.com`},
		{"web", "demo", ".", "", `zone: "." is not a domain name: give one such as fleet.example.com`},
		{"web", "demo", "fleet..test", "",
			`zone: "fleet..test" is not a domain name: label "" must be letters, digits and inner hyphens`},
		{"web", "demo", "fleet_test", "",
			`zone: "fleet_test" is not a domain name: label "fleet_test" must be letters, digits and inner hyphens`},
		{"web", "demo", "-fleet.test", "",
			`zone: "-fleet.test" is not a domain name: label "-fleet" must be letters, digits and inner hyphens`},
		{long + "a", "demo", "fleet.test.", "", `"` + long + `a.demo.fleet.test." is not a domain name: ` +
			`label "` + long + `a" has 64 characters, at most 63 fit`},
		{long, long, long + "." + long, "", `"` + strings.Repeat(long+".", 4) + `" is not a domain name: ` +
			`256 characters, at most 254 fit`},
	}
	for _, c := range cases {
		got, err := FQDN(c.fleet, c.namespace, c.zone)
		if message(err) != c.err || err == nil && got != c.want {
			t.Errorf("FQDN(%q, %q, %q) = %q, %q\nwant %q, %q", c.fleet, c.namespace, c.zone, got, message(err), c.want, c.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestValidNamesFit: a name that passes can be put in a DNS message.
func TestValidNamesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`([a-z0-9-]{0,65}\.){0,8}[A-Za-z0-9_\\.-]{0,20}`).Draw(t, "name")
		if ValidateName(name) != nil {
			return
		}
		if _, err := dns.PackDomainName(Canonical(name), make([]byte, 255), 0, nil, false); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	})
}
