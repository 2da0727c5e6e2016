package server

import (
	"context"
	"net"

	"github.com/miekg/dns"
)

// Intercept stands around an update: it is called for each one that arrives, applies it by calling apply
// (once, or not at all), and returns the code to answer with. A fault is whatever it does in between:
//
//	act before, then apply              the update is about to happen
//	apply, then act                     it has happened, and the client does not know
//	return NoAnswer, unapplied          the request is lost
//	apply, then return NoAnswer         the answer is lost
//	return another code, unapplied      the server refuses
//
// Updates arrive concurrently, and apply takes the locks that it needs. The context is done when the
// server stops.
type Intercept func(ctx context.Context, u Update, apply func() Rcode) Rcode

// Update is one UPDATE message, as its client sent it.
type Update struct {
	// Zone is the zone to be changed, in canonical form; it may be one that is not served.
	Zone string
	// Client is where the message came from.
	Client net.Addr
	// Key is the canonical name of the TSIG key that signed the message; empty when none did, or none
	// that the server knows.
	Key string
	// Prerequisites and Changes are the sections of RFC 2136 sections 2.4 and 2.5.
	Prerequisites, Changes []dns.RR
}

// Rcode is a DNS response code (RFC 1035 section 4.1.1, RFC 2136 section 2.2).
type Rcode int

// NoAnswer leaves a request unanswered; over TCP the connection is closed as well.
const NoAnswer Rcode = -1

func (r Rcode) String() string {
	if r == NoAnswer {
		return "no answer"
	}
	return dns.RcodeToString[int(r)]
}
