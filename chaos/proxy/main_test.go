package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

var cp *controlplane.ControlPlane

func TestMain(m *testing.M) {
	// The API server's parser logs queries that it cannot read, and Reflectors every watch that breaks.
	klog.SetLogger(logr.Discard())
	controlplanetest.Main(m, controlplane.Options{}, &cp)
}

// protocols are the two a caller may speak.
var protocols = map[string]bool{"HTTP1.1": false, "HTTP2": true}

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// startAPIServer serves handler as an API server would: TLS, HTTP/2.
func startAPIServer(t testing.TB, handler http.HandlerFunc) (*url.URL, []byte) {
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = silent
	server.StartTLS()
	t.Cleanup(server.Close)
	upstream, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return upstream, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func startProxy(t testing.TB, options Options, handler http.HandlerFunc) *Proxy {
	upstream, ca := startAPIServer(t, handler)
	p, err := New(upstream, ca, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// newClient is an operator's connection to the server that ca vouches for.
func newClient(t testing.TB, ca []byte, http2 bool) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := newTransport(roots, http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// do sends a request and returns the answer with its body read. Without an answer the status is 0.
func do(ctx context.Context, client *http.Client, method, url string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(`{}`)))
	if err != nil {
		return 0, "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content), err
}

func mustDo(t testing.TB, client *http.Client, method, url string) {
	t.Helper()
	if status, _, err := do(within(t), client, method, url); err != nil || status > 299 {
		t.Fatalf("%s %s: status %d, error %v", method, url, status, err)
	}
}

// dialTLS opens a bare HTTP/1.1 connection to the proxy.
func dialTLS(t testing.TB, p *Proxy) *tls.Conn {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.CA())
	conn, err := tls.Dial("tcp", p.URL()[len("https://"):], &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

const pods = "/api/v1/namespaces/default/pods"

func created(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-x7k2p","uid":"5f1c"}}`)
}
