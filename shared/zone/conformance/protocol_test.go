package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone/tsig"
)

// TestUpdate holds a server to RFC 2136 sections 3.2 and 3.4. In the tables @ stands for a name of the
// case's own, records are separated by newlines, and a class of ANY or NONE has its meaning in updates.
func TestUpdate(t *testing.T) {
	cases := []struct {
		name          string
		before        string
		prerequisites string
		changes       string
		rcode         int
		after         string
	}{
		{"name in use, and is", "@ 30 IN A 10.0.0.1", "@ 0 ANY ANY", "@ 30 IN A 10.0.0.2",
			dns.RcodeSuccess, "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2"},
		{"name in use, and is not", "", "@ 0 ANY ANY", "@ 30 IN A 10.0.0.2", dns.RcodeNameError, ""},
		{"name in use, but only by one below", "sub.@ 30 IN A 10.0.0.1", "@ 0 ANY ANY", "@ 30 IN A 10.0.0.2",
			dns.RcodeNameError, ""},
		{"name not in use, and is not", "", "@ 0 NONE ANY", "@ 30 IN A 10.0.0.2",
			dns.RcodeSuccess, "@ 30 IN A 10.0.0.2"},
		{"name not in use, and is", "@ 30 IN A 10.0.0.1", "@ 0 NONE ANY", "@ 30 IN A 10.0.0.2",
			dns.RcodeYXDomain, "@ 30 IN A 10.0.0.1"},
		{"name not in use, save by one below", "sub.@ 30 IN A 10.0.0.1", "@ 0 NONE ANY", "@ 30 IN A 10.0.0.2",
			dns.RcodeSuccess, "@ 30 IN A 10.0.0.2"},
		{"RRset exists, and does", "@ 30 IN A 10.0.0.1", "@ 0 ANY A", "@ 0 ANY A", dns.RcodeSuccess, ""},
		{"RRset exists, and another does", "@ 30 IN A 10.0.0.1", "@ 0 ANY TXT", "@ 0 ANY A",
			dns.RcodeNXRrset, "@ 30 IN A 10.0.0.1"},
		{"RRset does not exist, and another does", "@ 30 IN A 10.0.0.1", "@ 0 NONE TXT", "@ 0 ANY A",
			dns.RcodeSuccess, ""},
		{"RRset does not exist, and does", "@ 30 IN A 10.0.0.1", "@ 0 NONE A", "@ 0 ANY A",
			dns.RcodeYXRrset, "@ 30 IN A 10.0.0.1"},
		{"values in any order", "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2", "@ 0 IN A 10.0.0.2\n@ 0 IN A 10.0.0.1",
			"@ 0 ANY A", dns.RcodeSuccess, ""},
		{"values, one missing", "@ 30 IN A 10.0.0.1", "@ 0 IN A 10.0.0.2\n@ 0 IN A 10.0.0.1", "@ 0 ANY A",
			dns.RcodeNXRrset, "@ 30 IN A 10.0.0.1"},
		{"values, one more", "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2", "@ 0 IN A 10.0.0.1", "@ 0 ANY A",
			dns.RcodeNXRrset, "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2"},
		{"text compared with case", `@ 30 IN TXT "Mark"`, `@ 0 IN TXT "mark"`, "@ 0 ANY TXT",
			dns.RcodeNXRrset, `@ 30 IN TXT "Mark"`},
		{"names compared without case", "@ 30 IN A 10.0.0.1", "SUB.@ 0 NONE ANY", "@ 0 ANY A", dns.RcodeSuccess, ""},
		{"prerequisite with a TTL", "@ 30 IN A 10.0.0.1", "@ 30 IN A 10.0.0.1", "@ 0 ANY A",
			dns.RcodeFormatError, "@ 30 IN A 10.0.0.1"},
		{"prerequisite of another class", "@ 30 IN A 10.0.0.1", `@ 0 CH TXT "x"`, "@ 0 ANY A",
			dns.RcodeFormatError, "@ 30 IN A 10.0.0.1"},
		{"prerequisite outside the zone", "@ 30 IN A 10.0.0.1", "elsewhere.test. 0 ANY ANY", "@ 0 ANY A",
			dns.RcodeNotZone, "@ 30 IN A 10.0.0.1"},

		{"duplicate added with another TTL", "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2", "", "@ 60 IN A 10.0.0.1",
			dns.RcodeSuccess, "@ 60 IN A 10.0.0.1\n@ 60 IN A 10.0.0.2"},
		{"one record deleted", "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2", "", "@ 0 NONE A 10.0.0.1",
			dns.RcodeSuccess, "@ 30 IN A 10.0.0.2"},
		{"RRset deleted", "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2\n@ 30 IN TXT \"x\"", "", "@ 0 ANY A",
			dns.RcodeSuccess, `@ 30 IN TXT "x"`},
		{"name deleted", "@ 30 IN A 10.0.0.1\n@ 30 IN TXT \"x\"", "", "@ 0 ANY ANY", dns.RcodeSuccess, ""},
		{"nothing there to delete", "", "", "@ 0 ANY ANY\n@ 0 ANY A\n@ 0 NONE A 10.0.0.1", dns.RcodeSuccess, ""},
		{"deleted, then added", "@ 30 IN A 10.0.0.1", "", "@ 0 ANY A\n@ 60 IN A 10.0.0.2",
			dns.RcodeSuccess, "@ 60 IN A 10.0.0.2"},
		{"added, then deleted", "", "", "@ 60 IN A 10.0.0.2\n@ 0 ANY A", dns.RcodeSuccess, ""},
		{"alias added to a name in use", "@ 30 IN A 10.0.0.1", "", "@ 30 IN CNAME elsewhere.test.",
			dns.RcodeSuccess, "@ 30 IN A 10.0.0.1"},
		{"record added to an alias", "@ 30 IN CNAME elsewhere.test.", "", "@ 30 IN A 10.0.0.1",
			dns.RcodeSuccess, "@ 30 IN CNAME elsewhere.test."},
		{"alias replaced", "@ 30 IN CNAME elsewhere.test.", "", "@ 30 IN CNAME nowhere.test.",
			dns.RcodeSuccess, "@ 30 IN CNAME nowhere.test."},
		{"good change before a bad one", "", "", "@ 30 IN A 10.0.0.1\n@ 30 ANY A", dns.RcodeFormatError, ""},
		{"good change before one outside the zone", "", "", "@ 30 IN A 10.0.0.1\nelsewhere.test. 30 IN A 10.0.0.1",
			dns.RcodeNotZone, ""},
		{"added with type ANY", "", "", "@ 0 IN ANY", dns.RcodeFormatError, ""},
		{"change of another class", "", "", `@ 30 CH TXT "x"`, dns.RcodeFormatError, ""},
		{"every record of the zone's own name deleted", "", "", "fleet.test. 0 ANY ANY", dns.RcodeSuccess, ""},
		{"last name server deleted", "", "", "fleet.test. 0 NONE NS localhost.", dns.RcodeSuccess, ""},
	}
	onEach(t, func(t *testing.T, a authority) {
		for i, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				own := fmt.Sprintf("case-%d.%s", i, zoneName)
				if c.before != "" {
					mustUpdate(t, a, nil, parse(t, own, c.before))
				}
				reply := exchange(t, a, key, update(zoneName, parse(t, own, c.prerequisites), parse(t, own, c.changes)))
				if reply.Rcode != c.rcode {
					t.Errorf("answered %s, want %s", dns.RcodeToString[reply.Rcode], dns.RcodeToString[c.rcode])
				}
				if diff := cmp.Diff(texts(parse(t, own, c.after)), texts(records(t, a, own))); diff != "" {
					t.Errorf("records (-want +got):\n%s", diff)
				}
			})
		}
		if got := texts(records(t, a, zoneName)); len(got) != 2 {
			t.Errorf("the zone's own name holds %q, want its SOA and NS", got)
		}
	})
}

// TestSerial: the serial rises once for an update that changes something, and not for one that does not.
func TestSerial(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		own := "serial." + zoneName
		two := parse(t, own, "@ 30 IN A 10.0.0.1\n@ 30 IN A 10.0.0.2")
		first := serial(t, a)
		mustUpdate(t, a, nil, two)
		if got := serial(t, a); got != first+1 {
			t.Errorf("after a change: serial %d, want %d", got, first+1)
		}
		mustUpdate(t, a, nil, append(parse(t, own, "@ 0 ANY A"), two[1], two[0]))
		mustUpdate(t, a, nil, parse(t, own, "none.@ 0 ANY ANY"))
		exchange(t, a, key, update(zoneName, parse(t, own, "@ 0 NONE ANY"), parse(t, own, "@ 0 ANY ANY")))
		if got := serial(t, a); got != first+1 {
			t.Errorf("after updates without effect: serial %d, want %d", got, first+1)
		}
	})
}

// TestQuery tells apart what a publisher must: no such name, a name without such records, another zone.
func TestQuery(t *testing.T) {
	cases := []struct {
		name    string
		rrtype  uint16
		rcode   int
		answers int
	}{
		{"web.demo.fleet.test.", dns.TypeA, dns.RcodeSuccess, 2},
		{"WEB.Demo.Fleet.Test.", dns.TypeA, dns.RcodeSuccess, 2},
		{"web.demo.fleet.test.", dns.TypeANY, dns.RcodeSuccess, 3},
		{"web.demo.fleet.test.", dns.TypeAAAA, dns.RcodeSuccess, 0},
		{"demo.fleet.test.", dns.TypeA, dns.RcodeSuccess, 0},
		{"emo.fleet.test.", dns.TypeA, dns.RcodeNameError, 0},
		{"none.demo.fleet.test.", dns.TypeA, dns.RcodeNameError, 0},
		{"fleet.test.", dns.TypeSOA, dns.RcodeSuccess, 1},
		{"fleet.test.", dns.TypeNS, dns.RcodeSuccess, 1},
		{"elsewhere.test.", dns.TypeA, dns.RcodeRefused, 0},
	}
	onEach(t, func(t *testing.T, a authority) {
		mustUpdate(t, a, nil, parse(t, "web.demo.fleet.test.", `@ 30 IN A 10.0.0.1
			@ 30 IN A 10.0.0.2
			@ 30 IN TXT "x"`))
		for _, c := range cases {
			t.Run(c.name+" "+dns.TypeToString[c.rrtype], func(t *testing.T) {
				reply := exchange(t, a, nil, new(dns.Msg).SetQuestion(c.name, c.rrtype))
				if reply.Rcode != c.rcode || len(reply.Answer) != c.answers {
					t.Errorf("answered %s with %d records, want %s with %d", dns.RcodeToString[reply.Rcode],
						len(reply.Answer), dns.RcodeToString[c.rcode], c.answers)
				}
				served := c.rcode != dns.RcodeRefused
				if reply.Authoritative != served {
					t.Errorf("authoritative is %t, want %t", reply.Authoritative, served)
				}
				if served && c.answers == 0 && !hasSOA(reply.Ns) {
					t.Errorf("the negative answer has no SOA")
				}
			})
		}
	})
}

func hasSOA(rrs []dns.RR) bool {
	return slices.ContainsFunc(rrs, func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeSOA })
}

// TestSignature holds a server to RFC 8945 section 5.2: who may update, and what the others are told.
func TestSignature(t *testing.T) {
	now := time.Now()
	cases := []struct {
		name  string
		key   *tsig.Key
		at    time.Time
		rcode int
		tsig  int
	}{
		{"none", nil, now, dns.RcodeRefused, 0},
		{"good", key, now, dns.RcodeSuccess, 0},
		{"another secret", stranger, now, dns.RcodeNotAuth, dns.RcodeBadSig},
		{"unknown key", unknown, now, dns.RcodeNotAuth, dns.RcodeBadKey},
		{"another algorithm", sha512, now, dns.RcodeNotAuth, dns.RcodeBadKey},
		{"clock behind", key, now.Add(-time.Hour), dns.RcodeNotAuth, dns.RcodeBadTime},
	}
	onEach(t, func(t *testing.T, a authority) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				own := "signature." + zoneName
				reply := exchangeAt(t, a, c.key, update(zoneName, nil, parse(t, own, "@ 0 ANY A")), c.at)
				if reply.Rcode != c.rcode {
					t.Errorf("answered %s, want %s", dns.RcodeToString[reply.Rcode], dns.RcodeToString[c.rcode])
				}
				if got := tsigError(reply); got != c.tsig {
					t.Errorf("TSIG error %d, want %d", got, c.tsig)
				}
			})
		}
	})
}

func tsigError(reply *dns.Msg) int {
	if record := reply.IsTsig(); record != nil {
		return int(record.Error)
	}
	return dns.RcodeSuccess
}

// TestTransfer: AXFR shows the whole zone between two copies of its SOA, in as many messages as it takes.
func TestTransfer(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		const names = 300
		var wanted []dns.RR
		for i := range names {
			wanted = append(wanted, parse(t, fmt.Sprintf("n%d.%s", i, zoneName), "@ 30 IN A 10.0.0.1")...)
		}
		mustUpdate(t, a, nil, wanted)
		envelopes, err := new(dns.Transfer).In(new(dns.Msg).SetAxfr(zoneName), a.Addr())
		if err != nil {
			t.Fatal(err)
		}
		var got []dns.RR
		for envelope := range envelopes {
			if envelope.Error != nil {
				t.Fatal(envelope.Error)
			}
			got = append(got, envelope.RR...)
		}
		if first, last := got[0], got[len(got)-1]; first.Header().Rrtype != dns.TypeSOA || first.String() != last.String() {
			t.Errorf("transfer begins with %v and ends with %v, want the SOA", first, last)
		}
		if len(got) != names+3 {
			t.Errorf("transfer has %d records, want %d", len(got), names+3)
		}
	})
}

// update builds an UPDATE message from its parts as they are.
func update(zone string, prerequisites, changes []dns.RR) *dns.Msg {
	m := new(dns.Msg).SetUpdate(zone)
	m.Answer, m.Ns = prerequisites, changes
	return m
}

func mustUpdate(t *testing.T, a authority, prerequisites, changes []dns.RR) {
	t.Helper()
	if reply := exchange(t, a, key, update(zoneName, prerequisites, changes)); reply.Rcode != dns.RcodeSuccess {
		t.Fatalf("update: %s", dns.RcodeToString[reply.Rcode])
	}
}

// records returns what a name holds, of whatever type.
func records(t *testing.T, a authority, name string) []dns.RR {
	t.Helper()
	return exchange(t, a, nil, new(dns.Msg).SetQuestion(name, dns.TypeANY)).Answer
}

func serial(t *testing.T, a authority) uint32 {
	t.Helper()
	return exchange(t, a, nil, new(dns.Msg).SetQuestion(zoneName, dns.TypeSOA)).Answer[0].(*dns.SOA).Serial
}

// parse reads one record a line, with @ as the given name. Records of four fields have no data.
func parse(t *testing.T, name, text string) []dns.RR {
	t.Helper()
	var rrs []dns.RR
	for line := range strings.Lines(text) {
		line = strings.Replace(strings.TrimSpace(line), "@", name, 1)
		if fields := strings.Fields(line); len(fields) == 4 {
			rrs = append(rrs, bare(fields[0], fields[1], fields[2], fields[3]))
			continue
		}
		rr, err := dns.NewRR(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		rrs = append(rrs, rr)
	}
	return rrs
}

func bare(name, ttl, class, rrtype string) dns.RR {
	seconds, _ := strconv.ParseUint(ttl, 10, 32)
	return &dns.ANY{Hdr: dns.RR_Header{Name: name, Ttl: uint32(seconds), Class: dns.StringToClass[class],
		Rrtype: dns.StringToType[rrtype]}}
}

func texts(rrs []dns.RR) []string {
	lines := []string{}
	for _, rr := range rrs {
		lines = append(lines, rr.String())
	}
	slices.Sort(lines)
	return lines
}
