package zone

import (
	"net/netip"
	"testing"
)

func addresses(texts ...string) (list []netip.Addr) {
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

func TestEntryState(t *testing.T) {
	cases := []struct {
		entry       Entry
		free, owned bool
	}{
		{Entry{}, true, false},
		{Entry{Owner: "u"}, false, true},
		{Entry{Owner: "v"}, false, false},
		{Entry{Foreign: true}, false, false},
	}
	for _, c := range cases {
		if free, owned := c.entry.Free(), c.entry.OwnedBy("u"); free != c.free || owned != c.owned {
			t.Errorf("%+v: free %t, owned by u %t; want %t, %t", c.entry, free, owned, c.free, c.owned)
		}
		if c.entry.OwnedBy("") {
			t.Errorf("%+v is owned by nobody in particular", c.entry)
		}
	}
}

func TestEqual(t *testing.T) {
	base := Entry{Name: "web.fleet.test.", Owner: "u", TTL: 30, Addresses: addresses("10.0.0.1", "fd00::1")}
	with := func(change func(*Entry)) Entry {
		e := base
		change(&e)
		return e
	}
	cases := []struct {
		name  string
		other Entry
		equal bool
	}{
		{"itself", base, true},
		{"name in capitals, without the dot", with(func(e *Entry) { e.Name = "WEB.fleet.test" }), true},
		{"another order", with(func(e *Entry) { e.Addresses = addresses("fd00::1", "10.0.0.1") }), true},
		{"a duplicate", with(func(e *Entry) { e.Addresses = addresses("fd00::1", "10.0.0.1", "fd00::1") }), true},
		{"IPv4 written as IPv6", with(func(e *Entry) { e.Addresses = addresses("::ffff:10.0.0.1", "fd00::1") }), true},
		{"an IPv6 zone", with(func(e *Entry) { e.Addresses = addresses("10.0.0.1", "fd00::1%eth0") }), true},
		{"another name", with(func(e *Entry) { e.Name = "api.fleet.test." }), false},
		{"another owner", with(func(e *Entry) { e.Owner = "v" }), false},
		{"another TTL", with(func(e *Entry) { e.TTL = 31 }), false},
		{"another address", with(func(e *Entry) { e.Addresses = addresses("10.0.0.2", "fd00::1") }), false},
		{"an address less", with(func(e *Entry) { e.Addresses = addresses("10.0.0.1") }), false},
		{"foreign", with(func(e *Entry) { e.Foreign = true }), false},
	}
	for _, c := range cases {
		if got := base.Equal(c.other); got != c.equal {
			t.Errorf("%s: equal %t, want %t", c.name, got, c.equal)
		}
	}
}

// TestNormalizeLeavesItsInput: the caller's addresses keep their order.
func TestNormalizeLeavesItsInput(t *testing.T) {
	e := Entry{Name: "web.fleet.test.", Addresses: addresses("10.0.0.2", "10.0.0.1")}
	e.Normalize()
	if e.Addresses[0] != netip.MustParseAddr("10.0.0.2") {
		t.Errorf("addresses became %v", e.Addresses)
	}
}

func TestValidate(t *testing.T) {
	cases := []struct {
		entry Entry
		err   string
	}{
		{Entry{Name: "web.fleet.test.", Owner: "u", Addresses: addresses("10.0.0.1")}, ""},
		{Entry{Name: "web.fleet.test.", Owner: "u"}, ""},
		{Entry{Name: "", Owner: "u"}, `"" is not a domain name: give one such as fleet.example.com`},
		{Entry{Name: "web.fleet.test."}, `owner "" is not a uid: letters, digits and . _ : -, at most 240 of them`},
		{Entry{Name: "web.fleet.test.", Owner: "u", Addresses: []netip.Addr{{}}},
			"address 0 of web.fleet.test. is not an IP address"},
	}
	for _, c := range cases {
		if got := message(c.entry.Validate()); got != c.err {
			t.Errorf("%+v: error %q, want %q", c.entry, got, c.err)
		}
	}
}
