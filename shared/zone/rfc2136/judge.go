package rfc2136

import (
	"fmt"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// judge turns the codes of an answer (RFC 2136 section 2.2) into an error that says what to mend, or nil
// when the request was carried out. That a name asked for does not exist is an answer like any other.
func (s *session) judge(reply *dns.Msg) error {
	isQuery := reply.Opcode == dns.OpcodeQuery
	switch {
	case isQuery && (reply.Rcode == dns.RcodeSuccess || reply.Rcode == dns.RcodeNameError):
		if !reply.Authoritative {
			return s.refused("is not authoritative for %s: point at the zone's primary server", s.zoneName)
		}
		return nil
	case reply.Rcode == dns.RcodeSuccess:
		return nil
	}
	switch reply.Rcode {
	case dns.RcodeYXDomain, dns.RcodeYXRrset, dns.RcodeNXRrset, dns.RcodeNameError:
		return &zone.Error{Kind: zone.ErrConflict, Detail: s.name}
	case dns.RcodeNotAuth:
		return s.notAuth(reply.IsTsig())
	case dns.RcodeRefused:
		return s.refused("does not allow this %s (REFUSED): check its policy for %s", s.credentials(), s.zoneName)
	case dns.RcodeNotZone:
		return s.refused("says that %s is not in zone %s (NOTZONE)", s.name, s.zoneName)
	case dns.RcodeFormatError, dns.RcodeNotImplemented:
		return s.refused("does not understand the request (%s): it may not support dynamic update",
			dns.RcodeToString[reply.Rcode])
	default:
		detail := fmt.Sprintf("%s answered %s", s.client.Server, dns.RcodeToString[reply.Rcode])
		return &zone.Error{Kind: zone.ErrUnreachable, Detail: detail}
	}
}

// notAuth tells the reasons for NOTAUTH apart by the error in the TSIG record (RFC 8945 section 5.2).
func (s *session) notAuth(record *dns.TSIG) error {
	code := dns.RcodeSuccess
	if record != nil {
		code = int(record.Error)
	}
	switch code {
	case dns.RcodeBadKey:
		return s.refused("does not know key %s (BADKEY): check the key's name and algorithm", s.client.Key)
	case dns.RcodeBadSig:
		return s.refused("has another secret for key %s (BADSIG): check the key file", s.client.Key)
	case dns.RcodeBadTime:
		return s.refused("has a clock too far from this one (BADTIME): set both right")
	default:
		return s.refused("is not authoritative for %s (NOTAUTH): check the zone", s.zoneName)
	}
}

func (s *session) refused(format string, arguments ...any) error {
	return &zone.Error{Kind: zone.ErrRefused, Detail: s.client.Server + " " + fmt.Sprintf(format, arguments...)}
}

func (s *session) credentials() string {
	if s.client.Key == nil {
		return "without a key"
	}
	return "with key " + s.client.Key.String()
}
