// Package zone describes what a Fleet publishes outside the cluster: addresses under one DNS name, and
// beside them a TXT record that names the owner. It holds values and rules only; package rfc2136 carries
// them to a server.
package zone

import (
	"fmt"
	"net/netip"
	"slices"
)

// Entry is what a zone holds at one name.
//
// A name is in one of three states: free (no record at all), owned (exactly one TXT record, and it names
// an owner) or foreign (in use by something that never marked it as ours).
type Entry struct {
	// Name is the fully qualified name, lower case, with the final dot.
	Name string
	// Owner is the uid that the TXT record names; empty unless the name is owned.
	Owner string
	// TTL is the time to live of every record at the name, in seconds. A read entry has 0 when the
	// records disagree, which is what makes it differ from any wanted one.
	TTL uint32
	// Addresses are the targets of the A and AAAA records, sorted. An owned name may have none.
	Addresses []netip.Addr
	// Foreign is true when the name is in use and carries no owner mark.
	Foreign bool
}

// Free reports whether nothing at all is published under the name.
func (e Entry) Free() bool { return e.Owner == "" && !e.Foreign }

// OwnedBy reports whether the name carries the mark of this owner and no other.
func (e Entry) OwnedBy(owner string) bool { return owner != "" && e.Owner == owner && !e.Foreign }

// Normalize returns the one spelling of an entry: canonical name, addresses sorted, without duplicates,
// without IPv6 zones, and with IPv4-mapped IPv6 addresses as IPv4.
func (e Entry) Normalize() Entry {
	e.Name = Canonical(e.Name)
	addresses := make([]netip.Addr, 0, len(e.Addresses))
	for _, address := range e.Addresses {
		addresses = append(addresses, address.Unmap().WithZone(""))
	}
	slices.SortFunc(addresses, netip.Addr.Compare)
	e.Addresses = slices.Compact(addresses)
	return e
}

// Equal reports whether two entries mean the same records, however they are spelled.
func (e Entry) Equal(other Entry) bool {
	a, b := e.Normalize(), other.Normalize()
	return a.Name == b.Name && a.Owner == b.Owner && a.TTL == b.TTL && a.Foreign == b.Foreign &&
		slices.Equal(a.Addresses, b.Addresses)
}

// Validate reports why an entry cannot be published: a name that is no host name, an owner that fits no
// TXT record, or an address that is none.
func (e Entry) Validate() error {
	if err := ValidateName(e.Name); err != nil {
		return err
	}
	if _, err := OwnerText(e.Owner); err != nil {
		return err
	}
	if i := slices.IndexFunc(e.Addresses, func(a netip.Addr) bool { return !a.IsValid() }); i >= 0 {
		return fmt.Errorf("address %d of %s is not an IP address", i, e.Name)
	}
	return nil
}
