package server

import (
	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// answer returns the records that answer a question, and NXDOMAIN only when the name does not exist: a
// name without records of the type, or one that merely has names below it, is NOERROR and empty
// (RFC 2308 section 2). An alias is returned, not followed.
func (c contents) answer(question dns.Question) ([]dns.RR, int) {
	name := zone.Canonical(question.Name)
	at := c.nodes[name]
	switch {
	case question.Qtype == dns.TypeANY && len(at) > 0:
		return at.all(), dns.RcodeSuccess
	case len(at[question.Qtype]) > 0:
		return at[question.Qtype], dns.RcodeSuccess
	case len(at[dns.TypeCNAME]) > 0:
		return at[dns.TypeCNAME], dns.RcodeSuccess
	case !c.exists(name):
		return nil, dns.RcodeNameError
	default:
		return nil, dns.RcodeSuccess
	}
}
