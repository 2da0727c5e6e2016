package rfc2136

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/tsig"
)

// fudge is how far the clocks of signer and verifier may be apart, in seconds (RFC 8945 section 10).
const fudge = 300

// session is one connection, on which requests about one name are sent one after the other.
type session struct {
	client         *Client
	zoneName, name string
	conn           net.Conn
}

// open connects to the server. The connection is closed when the context is done, and with it any
// exchange that is under way.
func (c *Client) open(ctx context.Context, zoneName, name string) (*session, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.Server)
	if err != nil {
		return nil, c.unreachable(ctx, c.Server+" cannot be reached", err)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	return &session{c, zone.Canonical(zoneName), zone.Canonical(name), conn}, nil
}

// exchange sends a request and returns the answer, once it is known to be the server's and a good one.
func (s *session) exchange(ctx context.Context, request *dns.Msg) (*dns.Msg, error) {
	transport := dns.Client{Timeout: s.client.timeout()}
	if key := s.client.Key; key != nil {
		transport.TsigProvider = tsig.Keyring{key}
		request.SetTsig(key.Name, key.Algorithm, fudge, time.Now().Unix())
	}
	// A dns.Conn chains the signatures of what it sends, as a transfer wants. These are separate requests.
	reply, _, err := transport.ExchangeWithConnContext(ctx, request, &dns.Conn{Conn: s.conn})
	if err != nil && !errors.Is(err, dns.ErrAuth) {
		return nil, s.client.unreachable(ctx, s.client.Server+" gave no answer that can be relied on", err)
	}
	if err := s.judge(reply); err != nil {
		return nil, err
	}
	if s.client.Key != nil && reply.IsTsig() == nil {
		return nil, s.client.unreachable(ctx, s.client.Server+" gave no answer that can be relied on", dns.ErrNoSig)
	}
	return reply, nil
}

// unreachable is the error for an exchange that came to nothing: the context's own if the caller has
// cancelled it.
func (c *Client) unreachable(ctx context.Context, detail string, cause error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &zone.Error{Kind: zone.ErrUnreachable, Detail: detail, Cause: cause}
}
