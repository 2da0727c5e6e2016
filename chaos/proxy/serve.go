package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httputil"
)

// serve takes one request to the API server and its answer back. The wire's own matters (hop-by-hop headers,
// trailers, upgrades, streaming an answer of unknown length without a buffer) are httputil.ReverseProxy's.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	request := ParseRequest(r)
	ctx := r.Context()
	var body []byte
	if request.IsWrite() {
		var ok bool
		if body, ok = receive(r); !ok {
			panic(http.ErrAbortHandler) // the caller died in the middle of a sentence
		}
		var cancel context.CancelFunc
		ctx, cancel = p.outlive(ctx)
		defer cancel()
	}
	if request.mayBeLeaderLock() {
		request.LeaderLock = p.isLeaderLock(request, r.Header.Get("Content-Type"), body)
	}

	call := p.arrive(request, r.Context())
	delivered := false
	defer func() { p.leave(call, delivered) }()
	through := httputil.ReverseProxy{
		Rewrite:      p.redirect,
		Transport:    roundTripper(call.roundTrip),
		ErrorHandler: drop,
		ErrorLog:     silent,
	}
	through.ServeHTTP(w, r.WithContext(ctx))
	delivered = r.Context().Err() == nil
}

// receive takes in the whole body, so that what becomes of a write does not hang on whether its caller lives to
// finish sending it. The API server refuses bodies over 3 MiB; one operator's requests fit in memory.
func receive(r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	return body, true
}

// outlive gives a write a context that ends with the proxy but not with the caller: cancelled half-way through the
// API server, a write may or may not be stored, and nobody would ever know.
func (p *Proxy) outlive(caller context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(caller))
	stop := context.AfterFunc(p.closing, cancel)
	return ctx, func() { stop(); cancel() }
}

func (p *Proxy) redirect(r *httputil.ProxyRequest) {
	r.SetURL(p.upstream)
	r.Out.URL.RawQuery = r.In.URL.RawQuery // as it came: ReverseProxy has left out what it could not parse
}

// drop ends the request without an answer. The proxy never makes one up, not even when the API server is away.
func drop(http.ResponseWriter, *http.Request, error) {
	panic(http.ErrAbortHandler)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// roundTrip hands the call to the interceptor, if its operator is still alive. A partition is between the operator and
// all that.
func (c *Call) roundTrip(outbound *http.Request) (*http.Response, error) {
	c.outbound, c.query = outbound, outbound.URL.Query()
	if err := c.cross(); err != nil {
		return nil, err
	}
	c.proxy.mu.Lock()
	intercept := c.proxy.intercept
	c.proxy.mu.Unlock()
	if intercept == nil {
		intercept = (*Call).Forward
	}
	answer, err := intercept(c)
	if err != nil {
		return nil, err
	}
	if err := c.cross(); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// send takes the request to the API server. With the answer to a create, and to a read of what may be a leader lock, comes
// the object's metadata; the answer to a watch has its frames read as they pass. What a Lag has the request be about is
// asked of the past.
func (c *Call) send() (*http.Response, outcome, error) {
	readFrames := c.Verb == "watch" && c.proxy.options.ReadFrames
	if readFrames {
		preferJSON(c.outbound.Header)
	}
	if version, ok := c.laggedTo(); ok {
		if c.Verb == "watch" {
			return c.replay(version)
		}
		c.outbound.URL.RawQuery = exactly(version, c.query).Encode()
	}
	transport := c.proxy.http2
	if c.outbound.Header.Get("Upgrade") != "" {
		transport = c.proxy.upgrade
	}
	answer, err := transport.RoundTrip(c.outbound)
	if err != nil {
		return nil, outcome{}, err
	}
	result := outcome{status: answer.StatusCode}
	switch {
	case c.Verb == "create" && c.Subresource == "", c.Verb == "get" && c.mayBeLeaderLock():
		result.object, err = readMetadata(answer)
	case readFrames && hasFrames(answer):
		answer.Body = c.stream(relay(answer.Body))
	}
	return answer, result, err
}
