package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// An Interceptor stands in the way of every request. What it returns is what the caller gets: the answer of
// [Call.Forward] (whose body it may wrap), one of its own making, or, with an error, no answer at all but a
// connection that breaks. It runs on the request's goroutine and may take its time.
type Interceptor func(*Call) (*http.Response, error)

// ErrDropped is what an Interceptor returns to leave the caller without an answer: an HTTP/1.1 connection is
// closed, an HTTP/2 stream reset.
var ErrDropped = errors.New("connection dropped by the proxy")

// Intercept puts i in the way of the requests that arrive from now on, in place of any before it. Nil clears the way.
func (p *Proxy) Intercept(i Interceptor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.intercept = i
}

// A Call is one request on its way through the proxy.
type Call struct {
	Request
	Place Place

	proxy    *Proxy
	life     *life
	caller   context.Context
	query    url.Values
	outbound *http.Request
	exchange *Exchange
	work     bool // a write that Quiet waits for
	broken   bool // it was cut off by a partition that breaks its connection; for this call's own goroutine
}

// Context is done when the caller has gone away, or the proxy is closed.
func (c *Call) Context() context.Context { return c.caller }

// Forward sends the request to the API server, at most once, and returns once the API server has answered. A write
// that is answered is committed or refused for good, and its outcome is in the journal.
// On a frozen proxy Forward does nothing until the caller is gone, and then returns an error.
func (c *Call) Forward() (*http.Response, error) {
	if err := c.linger(); err != nil {
		return nil, err
	}
	if err := c.catchUp(); err != nil {
		return nil, err
	}
	if c.expired() {
		return expiredAnswer(c.Resource), nil
	}
	if !c.depart() {
		return nil, c.silence()
	}
	answer, result, err := c.send()
	heard := c.settle(result)
	if answer != nil && (err != nil || !heard) {
		answer.Body.Close()
	}
	switch {
	case !heard:
		return nil, c.silence()
	case err != nil:
		return nil, err
	}
	if err := c.await(); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// silence leaves the caller waiting for as long as it lives.
func (c *Call) silence() error {
	select {
	case <-c.caller.Done():
	case <-c.life.buried:
	}
	return ErrDropped
}
