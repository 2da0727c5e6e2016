// Package rfc2136 publishes entries on an authoritative DNS server by dynamic update (RFC 2136).
//
// A zone is shared by many writers that do not know of each other. So every change is one update whose
// prerequisites say what the writer believes is there: a compare-and-swap, carried out by the server.
package rfc2136

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/records"
	"example.com/twinloop/shared/zone/tsig"
)

// DefaultTimeout bounds an operation of a Client that sets none.
const DefaultTimeout = 5 * time.Second

// Client talks to one authoritative server, over TCP. It holds no connection between operations and may
// be used concurrently. Its errors are of the kinds that package zone lists, or the context's own when
// that is cancelled.
type Client struct {
	// Server is the server's host:port.
	Server string
	// Key signs requests and verifies answers; nil when the server asks for none.
	Key *tsig.Key
	// Timeout bounds a whole operation, connecting included; zero means DefaultTimeout.
	Timeout time.Duration
}

// Lookup reads what the zone holds at a name. The answer must come from a server that is authoritative
// for it: what a resolver remembers is no ground for an update.
func (c *Client) Lookup(ctx context.Context, zoneName, name string) (zone.Entry, error) {
	ctx, cancel := c.bound(ctx)
	defer cancel()
	s, err := c.open(ctx, zoneName, name)
	if err != nil {
		return zone.Entry{}, err
	}
	var found []dns.RR
	for _, rrtype := range records.Types {
		reply, err := s.exchange(ctx, question(name, rrtype))
		if err != nil || reply.Rcode == dns.RcodeNameError {
			return zone.Entry{Name: zone.Canonical(name)}, err
		}
		found = append(found, reply.Answer...)
	}
	if len(found) == 0 {
		// The name exists and holds nothing of ours: either names lie below it, or it is in use for
		// something else.
		reply, err := s.exchange(ctx, question(name, dns.TypeANY))
		if err != nil {
			return zone.Entry{}, err
		}
		found = reply.Answer
	}
	return records.Decode(name, found), nil
}

// Publish makes want.Name hold exactly the A, AAAA and TXT records of want, in one update, provided that
// the name is still as held says: free, or owned by want.Owner. Records of other types stay.
//
// It fails with zone.ErrTaken, without asking the server, when held is somebody else's, and with
// zone.ErrConflict when the name is no longer as held says; nothing has then changed. After
// zone.ErrUnreachable it may or may not have: Lookup tells.
//
// BIND 9.18.28 and later hold 100 records of a type at a name unless max-records-per-type says otherwise,
// and answer SERVFAIL to more.
func (c *Client) Publish(ctx context.Context, zoneName string, held, want zone.Entry) error {
	if !held.Free() && !held.OwnedBy(want.Owner) {
		return zone.Taken(held)
	}
	request, err := publication(zoneName, held.Free(), want)
	if err != nil {
		return err
	}
	return c.send(ctx, zoneName, want.Name, request)
}

// Withdraw removes the A, AAAA and TXT records at a name if the owner's mark is on it. When it returns
// nil, nothing there carries the mark: the records are removed now, or were before, or the name is
// somebody else's, who keeps it. A finalizer can be released on nil, and never deletes what is not its own.
func (c *Client) Withdraw(ctx context.Context, zoneName, name, owner string) error {
	request, err := withdrawal(zoneName, name, owner)
	if err != nil {
		return err
	}
	err = c.send(ctx, zoneName, name, request)
	if errors.Is(err, zone.ErrConflict) {
		return nil
	}
	return err
}

func (c *Client) send(ctx context.Context, zoneName, name string, request *dns.Msg) error {
	ctx, cancel := c.bound(ctx)
	defer cancel()
	s, err := c.open(ctx, zoneName, name)
	if err != nil {
		return err
	}
	_, err = s.exchange(ctx, request)
	return err
}

func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.timeout())
}

func (c *Client) timeout() time.Duration { return cmp.Or(c.Timeout, DefaultTimeout) }
