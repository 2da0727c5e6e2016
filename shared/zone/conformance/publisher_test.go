package conformance

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/rfc2136"
)

// The owners of the tables below.
const (
	mine   = "11111111-1111-4111-8111-111111111111"
	theirs = "22222222-2222-4222-8222-222222222222"
)

func entry(name, owner string, addresses ...string) zone.Entry {
	e := zone.Entry{Name: name, Owner: owner, TTL: 30}
	for _, address := range addresses {
		e.Addresses = append(e.Addresses, netip.MustParseAddr(address))
	}
	return e.Normalize()
}

// TestPublish: an entry is published when the name is as it was read, and otherwise nothing changes.
func TestPublish(t *testing.T) {
	cases := []struct {
		name   string
		before string // records that others, or an earlier publication, left at @
		held   func(name string) zone.Entry
		want   []string
		err    error
	}{
		{name: "first", want: []string{"10.0.0.1"}},
		{name: "first, IPv4 and IPv6", want: []string{"10.0.0.1", "fd00::1"}},
		{name: "first, no address yet"},
		{name: "again by its owner", want: []string{"10.0.0.2", "fd00::2"},
			before: "@ 60 IN A 10.0.0.1\n@ 60 IN AAAA fd00::1\n" + `@ 60 IN TXT "twinloop-owner=` + mine + `"`},
		{name: "again, every address gone",
			before: "@ 30 IN A 10.0.0.1\n" + `@ 30 IN TXT "twinloop-owner=` + mine + `"`},
		{name: "somebody else's", want: []string{"10.0.0.2"}, err: zone.ErrTaken,
			before: "@ 30 IN A 10.0.0.1\n" + `@ 30 IN TXT "twinloop-owner=` + theirs + `"`},
		{name: "address without a mark", want: []string{"10.0.0.2"}, err: zone.ErrTaken,
			before: "@ 30 IN A 10.0.0.1"},
		{name: "text that is no mark", want: []string{"10.0.0.2"}, err: zone.ErrTaken,
			before: `@ 30 IN TXT "v=spf1 -all"`},
		{name: "mark beside another text", want: []string{"10.0.0.2"}, err: zone.ErrTaken,
			before: `@ 30 IN TXT "v=spf1 -all"` + "\n" + `@ 30 IN TXT "twinloop-owner=` + mine + `"`},
		{name: "alias", want: []string{"10.0.0.2"}, err: zone.ErrTaken, before: "@ 30 IN CNAME elsewhere.test."},
		{name: "in use for mail only", want: []string{"10.0.0.2"}, err: zone.ErrTaken,
			before: "@ 30 IN MX 10 mail.elsewhere.test."},
		{name: "only a name below is in use", want: []string{"10.0.0.2"}, before: "sub.@ 30 IN A 10.0.0.1"},
		{name: "taken since it was read", want: []string{"10.0.0.2"}, err: zone.ErrConflict, held: free,
			before: `@ 30 IN TXT "twinloop-owner=` + theirs + `"`},
		{name: "lost since it was read", want: []string{"10.0.0.2"}, err: zone.ErrConflict, held: owned,
			before: `@ 30 IN TXT "twinloop-owner=` + theirs + `"`},
		{name: "withdrawn since it was read", want: []string{"10.0.0.2"}, err: zone.ErrConflict, held: owned},
		{name: "published since it was read, the answer lost", want: []string{"10.0.0.2"}, err: zone.ErrConflict,
			held: free, before: `@ 30 IN TXT "twinloop-owner=` + mine + `"`},
	}
	onEach(t, func(t *testing.T, a authority) {
		for i, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				own := fmt.Sprintf("case-%d.%s", i, zoneName)
				if c.before != "" {
					mustUpdate(t, a, nil, parse(t, own, c.before))
				}
				before := texts(records(t, a, own))
				held := mustLookup(t, a, own)
				if c.held != nil {
					held = c.held(own)
				}
				want := entry(own, mine, c.want...)
				err := client(a).Publish(t.Context(), zoneName, held, want)
				if !errors.Is(err, c.err) {
					t.Fatalf("error %v, want %v", err, c.err)
				}
				if c.err != nil {
					if diff := cmp.Diff(before, texts(records(t, a, own))); diff != "" {
						t.Errorf("records changed (-before +after):\n%s", diff)
					}
					return
				}
				if got := mustLookup(t, a, own); !got.Equal(want) {
					t.Errorf("published %+v, read back %+v", want, got)
				}
			})
		}
	})
}

func free(name string) zone.Entry  { return zone.Entry{Name: name} }
func owned(name string) zone.Entry { return entry(name, mine) }

// TestWithdraw: what carries the owner's mark goes, and nothing else does.
func TestWithdraw(t *testing.T) {
	cases := []struct{ name, before, after string }{
		{"published", "@ 30 IN A 10.0.0.1\n@ 30 IN AAAA fd00::1\n" + `@ 30 IN TXT "twinloop-owner=` + mine + `"`, ""},
		{"gone already", "", ""},
		{"somebody else's", `@ 30 IN TXT "twinloop-owner=` + theirs + `"`, `@ 30 IN TXT "twinloop-owner=` + theirs + `"`},
		{"address without a mark", "@ 30 IN A 10.0.0.1", "@ 30 IN A 10.0.0.1"},
		{"beside records of other types",
			"@ 30 IN A 10.0.0.1\n@ 30 IN MX 10 mail.test.\n" + `@ 30 IN TXT "twinloop-owner=` + mine + `"`,
			"@ 30 IN MX 10 mail.test."},
	}
	onEach(t, func(t *testing.T, a authority) {
		for i, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				own := fmt.Sprintf("case-%d.%s", i, zoneName)
				if c.before != "" {
					mustUpdate(t, a, nil, parse(t, own, c.before))
				}
				if err := client(a).Withdraw(t.Context(), zoneName, own, mine); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(texts(parse(t, own, c.after)), texts(records(t, a, own))); diff != "" {
					t.Errorf("records (-want +got):\n%s", diff)
				}
			})
		}
	})
}

// TestHundredAddresses: a large entry is written and read whole.
func TestHundredAddresses(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		want := entry("many."+zoneName, mine)
		for i := range 100 {
			want.Addresses = append(want.Addresses,
				netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), netip.AddrFrom16([16]byte{0xfd, 15: byte(i)}))
		}
		if err := client(a).Publish(t.Context(), zoneName, free(want.Name), want); err != nil {
			t.Fatal(err)
		}
		if got := mustLookup(t, a, want.Name); !got.Equal(want) {
			t.Errorf("read back %d addresses, want %d", len(got.Addresses), len(want.Addresses))
		}
	})
}

// TestOneWins: of many that publish under one free name at once, one does, and the others learn it.
func TestOneWins(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		const publishers = 8
		name := "contested." + zoneName
		errs := make([]error, publishers)
		var running sync.WaitGroup
		for i := range publishers {
			running.Go(func() {
				want := entry(name, fmt.Sprintf("owner-%d", i), fmt.Sprintf("10.0.0.%d", i))
				errs[i] = client(a).Publish(t.Context(), zoneName, free(name), want)
			})
		}
		running.Wait()
		got := mustLookup(t, a, name)
		for i, err := range errs {
			won := got.Equal(entry(name, fmt.Sprintf("owner-%d", i), fmt.Sprintf("10.0.0.%d", i)))
			if won && err != nil || !won && !errors.Is(err, zone.ErrConflict) {
				t.Errorf("publisher %d: won %t, error %v", i, won, err)
			}
		}
		if got.Free() {
			t.Errorf("nobody won")
		}
	})
}

// TestRefused: what a person has to mend is told apart, and told in words that name it.
func TestRefused(t *testing.T) {
	const wrongZone = "elsewhere.test."
	cases := []struct {
		name   string
		client rfc2136.Client
		zone   string
		owner  string
		detail string
	}{
		{"another secret", rfc2136.Client{Key: stranger}, zoneName, "web." + zoneName,
			"has another secret for key fleet-key (hmac-sha256) (BADSIG): check the key file"},
		{"unknown key", rfc2136.Client{Key: unknown}, zoneName, "web." + zoneName,
			"does not know key other-key (hmac-sha256) (BADKEY): check the key's name and algorithm"},
		{"another algorithm", rfc2136.Client{Key: sha512}, zoneName, "web." + zoneName,
			"does not know key fleet-key (hmac-sha512) (BADKEY): check the key's name and algorithm"},
		{"no key", rfc2136.Client{}, zoneName, "web." + zoneName,
			"does not allow this without a key (REFUSED): check its policy for fleet.test."},
		{"another zone", rfc2136.Client{Key: key}, wrongZone, "web." + wrongZone,
			"is not authoritative for elsewhere.test. (NOTAUTH): check the zone"},
		{"name outside the zone", rfc2136.Client{Key: key}, zoneName, "web." + wrongZone,
			"says that web.elsewhere.test. is not in zone fleet.test. (NOTZONE)"},
	}
	onEach(t, func(t *testing.T, a authority) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				c.client.Server = a.Addr()
				want := "DNS server refused: " + a.Addr() + " " + c.detail
				published := c.client.Publish(t.Context(), c.zone, free(c.owner), entry(c.owner, mine))
				withdrawn := c.client.Withdraw(t.Context(), c.zone, c.owner, mine)
				for _, err := range []error{published, withdrawn} {
					if !errors.Is(err, zone.ErrRefused) || err.Error() != want {
						t.Errorf("error %q\nwant  %q", err, want)
					}
				}
			})
		}
	})
}

// TestLookupElsewhere: a server that is not the zone's own is no source.
func TestLookupElsewhere(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		_, err := client(a).Lookup(t.Context(), "elsewhere.test.", "web.elsewhere.test.")
		if !errors.Is(err, zone.ErrRefused) {
			t.Errorf("error %v, want %v", err, zone.ErrRefused)
		}
	})
}

// TestServerDown: while the server is away every operation says so in the same words, and when it is
// back, what it held is there.
func TestServerDown(t *testing.T) {
	onEach(t, func(t *testing.T, a authority) {
		want := entry("web."+zoneName, mine, "10.0.0.1")
		if err := client(a).Publish(t.Context(), zoneName, free(want.Name), want); err != nil {
			t.Fatal(err)
		}
		a.Stop()
		_, looked := client(a).Lookup(t.Context(), zoneName, want.Name)
		published := client(a).Publish(t.Context(), zoneName, want, want)
		withdrawn := client(a).Withdraw(t.Context(), zoneName, want.Name, mine)
		words := "DNS server is unavailable: " + a.Addr() + " cannot be reached"
		for _, err := range []error{looked, published, withdrawn} {
			if !errors.Is(err, zone.ErrUnreachable) || err.Error() != words {
				t.Errorf("error %q\nwant  %q", err, words)
			}
		}
		if err := a.Start(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, mustLookup(t, a, want.Name), cmpopts.EquateComparable(netip.Addr{})); diff != "" {
			t.Errorf("after the return (-want +got):\n%s", diff)
		}
	})
}

func mustLookup(t *testing.T, a authority, name string) zone.Entry {
	t.Helper()
	e, err := client(a).Lookup(t.Context(), zoneName, name)
	if err != nil {
		t.Fatalf("lookup: %v", err)
	}
	return e
}
