package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// handler answers the requests of one run.
type handler struct {
	server *Server
	ctx    context.Context // done when the run ends
}

// ServeDNS implements dns.Handler.
func (h *handler) ServeDNS(w dns.ResponseWriter, request *dns.Msg) {
	signed := verify(w, request)
	reply := new(dns.Msg).SetReply(request)
	switch {
	case request.Opcode != dns.OpcodeQuery && request.Opcode != dns.OpcodeUpdate:
		reply.Rcode = dns.RcodeNotImplemented
	case len(request.Question) != 1:
		reply.Rcode = dns.RcodeFormatError
	case request.Opcode == dns.OpcodeUpdate:
		rcode := h.update(w.RemoteAddr(), request, signed)
		if rcode == NoAnswer {
			_ = w.Close()
			return
		}
		reply.Rcode = int(rcode)
	case signed.failure != dns.RcodeSuccess:
		reply.Rcode = dns.RcodeNotAuth
	case request.Question[0].Qtype == dns.TypeAXFR:
		reply.Rcode = h.transfer(w, request)
		if reply.Rcode == dns.RcodeSuccess {
			return
		}
	default:
		h.query(reply)
	}
	send(w, request, reply, signed)
}

// query answers from the zone that the name lies in, with that zone's SOA when there is nothing to
// answer (RFC 2308 section 3).
func (h *handler) query(reply *dns.Msg) {
	question := reply.Question[0]
	c, served := h.server.zones.find(zone.Canonical(question.Name))
	if !served || question.Qclass != dns.ClassINET {
		reply.Rcode = dns.RcodeRefused
		return
	}
	reply.Authoritative = true
	reply.Answer, reply.Rcode = c.answer(question)
	if len(reply.Answer) == 0 {
		reply.Ns = []dns.RR{c.soa()}
	}
}

// update lets the interceptor decide about an update, and returns the code to answer with.
func (h *handler) update(client net.Addr, request *dns.Msg, signed signature) Rcode {
	section := request.Question[0]
	if section.Qtype != dns.TypeSOA {
		return dns.RcodeFormatError
	}
	u := Update{
		Zone:          zone.Canonical(section.Name),
		Client:        client,
		Key:           signed.key,
		Prerequisites: request.Answer,
		Changes:       request.Ns,
	}
	return h.server.intercept(h.ctx, u, func() Rcode {
		switch {
		case signed.failure != dns.RcodeSuccess, section.Qclass != dns.ClassINET:
			return dns.RcodeNotAuth
		case signed.key == "" && len(h.server.keys) > 0:
			return dns.RcodeRefused
		default:
			return h.server.zones.apply(u)
		}
	})
}

// envelope is how many records of a transfer go in one message; few enough for any of theirs to fit.
const envelope = 100

// transfer sends a whole zone between two copies of its SOA (RFC 5936 section 2.2), or returns the code
// that says why not.
func (h *handler) transfer(w dns.ResponseWriter, request *dns.Msg) int {
	if w.RemoteAddr().Network() != "tcp" {
		return dns.RcodeRefused
	}
	rrs := h.server.zones.snapshot(request.Question[0].Name)
	if len(rrs) == 0 {
		return dns.RcodeNotAuth
	}
	chunks := slices.Collect(slices.Chunk(append(rrs, rrs[0]), envelope))
	envelopes := make(chan *dns.Envelope, len(chunks))
	for _, chunk := range chunks {
		envelopes <- &dns.Envelope{RR: chunk}
	}
	close(envelopes)
	if new(dns.Transfer).Out(w, request, envelopes) != nil {
		_ = w.Close()
	}
	return dns.RcodeSuccess
}

// signature is what a server makes of the TSIG record of a request (RFC 8945 section 5.2).
type signature struct {
	// key is the name of the key that signed; empty without a good signature.
	key string
	// failure is BADKEY, BADSIG or BADTIME; NOERROR without a signature or with a good one.
	failure int
}

func verify(w dns.ResponseWriter, request *dns.Msg) signature {
	record := request.IsTsig()
	err := w.TsigStatus()
	switch {
	case record == nil:
		return signature{}
	case err == nil:
		return signature{key: zone.Canonical(record.Hdr.Name)}
	case errors.Is(err, dns.ErrSecret):
		return signature{failure: dns.RcodeBadKey}
	case errors.Is(err, dns.ErrTime):
		return signature{failure: dns.RcodeBadTime}
	default:
		return signature{failure: dns.RcodeBadSig}
	}
}

// send fits the reply to the transport, signs it if the request was signed (RFC 8945 section 5.3), and
// writes it. A client that has gone is no concern of the server's.
func send(w dns.ResponseWriter, request, reply *dns.Msg, signed signature) {
	size := dns.MaxMsgSize
	if w.RemoteAddr().Network() == "udp" {
		size = dns.MinMsgSize
	}
	if opt := request.IsEdns0(); opt != nil {
		size = max(size, int(opt.UDPSize()))
		reply.SetEdns0(maxUDP, false)
	}
	reply.Truncate(size)
	if record := request.IsTsig(); record != nil {
		reply.SetTsig(record.Hdr.Name, record.Algorithm, record.Fudge, time.Now().Unix())
		signed.explain(record, reply.IsTsig())
	}
	_ = w.WriteMsg(reply)
}

// explain puts the failure in the answer's record; for a clock that is off, with the time of both
// (RFC 8945 section 5.2.3).
func (s signature) explain(request, reply *dns.TSIG) {
	reply.Error = uint16(s.failure)
	if s.failure == dns.RcodeBadTime {
		reply.OtherLen, reply.OtherData = 6, fmt.Sprintf("%012x", reply.TimeSigned)
		reply.TimeSigned = request.TimeSigned
	}
}
