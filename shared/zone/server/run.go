package server

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"

	"github.com/miekg/dns"
)

// maxUDP is the largest request read over UDP, in octets; more than any EDNS client sends by default.
const maxUDP = 4096

// portAttempts is how often a free port is looked for that both TCP and UDP can have.
const portAttempts = 16

// listen opens the address for TCP and for UDP, on one port.
func listen(address string) (net.Listener, net.PacketConn, error) {
	var failure error
	for range portAttempts {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, nil, err
		}
		packets, err := net.ListenPacket("udp", listener.Addr().String())
		if err == nil {
			return listener, packets, nil
		}
		listener.Close()
		failure = err
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return nil, nil, failure
}

// run is one stretch of serving, from a Start to a Stop.
type run struct {
	servers [2]*dns.Server
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// serve answers on both sockets and returns once both are being read.
func serve(s *Server, listener net.Listener, packets net.PacketConn) *run {
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{cancel: cancel}
	r.servers = [2]*dns.Server{{Listener: listener}, {PacketConn: packets, UDPSize: maxUDP}}
	var started sync.WaitGroup
	for _, transport := range r.servers {
		transport.Handler = &handler{server: s, ctx: ctx}
		transport.TsigProvider = s.keys
		transport.MsgAcceptFunc = accept
		transport.NotifyStartedFunc = started.Done
		started.Add(1)
		r.done.Go(func() { _ = transport.ActivateAndServe() })
	}
	started.Wait()
	return r
}

func (r *run) stop() {
	r.cancel()
	for _, transport := range r.servers {
		_ = transport.Shutdown()
	}
	r.done.Wait()
}

// accept lets every request through to the handler, and drops answers, which nobody here asked for.
func accept(header dns.Header) dns.MsgAcceptAction {
	const response = 1 << 15
	if header.Bits&response != 0 {
		return dns.MsgIgnore
	}
	return dns.MsgAccept
}
