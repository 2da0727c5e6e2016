package proxy

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkCreate sends each create twice, straight to the API server and through the proxy, and reports the time
// of both and their ratio. This API server does nothing: what a real one takes comes on top of either.
func BenchmarkCreate(b *testing.B) {
	upstream, ca := startAPIServer(b, created)
	p, err := New(upstream, ca, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	direct, proxied := newClient(b, ca, true), newClient(b, p.CA(), true)
	mustDo(b, direct, "POST", upstream.String()+pods)
	mustDo(b, proxied, "POST", p.URL()+pods)

	var without, with time.Duration
	for b.Loop() {
		without += timed(b, direct, upstream.String())
		with += timed(b, proxied, p.URL())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(without.Microseconds())/float64(b.N), "direct-µs/op")
	b.ReportMetric(float64(with.Microseconds())/float64(b.N), "proxied-µs/op")
	b.ReportMetric(float64(with)/float64(without), "proxied/direct")
}

func timed(b *testing.B, client *http.Client, server string) time.Duration {
	start := time.Now()
	mustDo(b, client, "POST", server+pods)
	return time.Since(start)
}
