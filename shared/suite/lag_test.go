package suite

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"

	"example.com/twinloop/shared/controlplane"
)

// A cache lags behind the API server, now and then by seconds. An operator that counts in such a cache what it has just
// created creates it again.
func TestLaggingPodCache(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w, l := enterLagging(t, s)
		l.hold()
		w.change("web", replicas(4))
		w.eventually(has("web", 4))
		for n := int32(5); n <= 7; n++ {
			w.change("web", replicas(n))
			l.awaitPassedOn("fleets", w.read("web").ResourceVersion)
		}
		l.release()
		w.eventually(settled("web"))
		if n := w.everCreated("web"); n != 7 {
			t.Errorf("%d pods were created for 7", n)
		}
	})
}

// An answer can be lost on the way, after what was asked for has been done. An operator that takes that for a failure, and
// its cache for the truth, asks again.
func TestLostAnswer(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w, l := enterLagging(t, s)
		l.hold()
		l.loseAnswer()
		w.change("web", replicas(4))
		w.eventually(has("web", 4))
		for n := int32(500); n < 503; n++ {
			w.change("web", progressDeadline(n)) // which changes nothing, but has it look again
			l.awaitPassedOn("fleets", w.read("web").ResourceVersion)
		}
		l.release()
		w.eventually(settled("web"))
		if n := w.everCreated("web"); n != 4 {
			t.Errorf("%d pods were created for 4", n)
		}
	})
}

// enterLagging makes a world with a Fleet of three pods, whose operator asks an API server that can lag.
func enterLagging(t *testing.T, s subject) (*world, *lagging) {
	t.Helper()
	w := emptyWorld(t, s)
	l := w.lag("pods")
	w.launch("--kubeconfig=" + l.kubeconfig)
	w.create(fleet("web", replicas(3)))
	w.eventually(settled("web"))
	return w, l
}

// lagging is an API server whose watch of one resource can be held: what happens meanwhile is delivered later. And it can
// lose an answer.
type lagging struct {
	w          *world
	resource   string
	kubeconfig string

	mu       sync.Mutex
	changed  *sync.Cond
	held     bool
	loses    bool                     // the answer to the next creation of the resource
	passedOn map[string]*bytes.Buffer // what the watches of each resource delivered
}

// lag puts such a server in front of the real one.
func (w *world) lag(resource string) *lagging {
	w.Helper()
	l := &lagging{w: w, resource: resource, passedOn: map[string]*bytes.Buffer{}}
	l.changed = sync.NewCond(&l.mu)
	target := must[*url.URL](w.T)(url.Parse(cp.URL))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cp.CA)
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		Transport:      &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
		FlushInterval:  -1,
		ModifyResponse: l.intercept,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	server.EnableHTTP2 = true
	server.StartTLS()
	w.Cleanup(func() {
		w.stopOperators()
		l.release()
		server.CloseClientConnections()
		server.Close()
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	kubeconfig := must[[]byte](w.T)(cp.Kubeconfig(w.Context(), controlplane.Access{
		ServiceAccount: w.subject.identity.Account, Server: server.URL, CA: ca,
	}))
	l.kubeconfig = filepath.Join(w.TempDir(), "kubeconfig")
	if err := os.WriteFile(l.kubeconfig, kubeconfig, 0o600); err != nil {
		w.Fatal(err)
	}
	return l
}

func (l *lagging) intercept(response *http.Response) error {
	request := response.Request
	if request.Method == http.MethodPost && path.Base(request.URL.Path) == l.resource && l.losesThis() {
		return errors.New("lost")
	}
	if request.URL.Query().Get("watch") == "" {
		return nil
	}
	response.Body = &lateBody{ReadCloser: response.Body, of: l, resource: path.Base(request.URL.Path)}
	return nil
}

func (l *lagging) loseAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loses = true
}

func (l *lagging) losesThis() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.loses
	l.loses = false
	return lost
}

func (l *lagging) hold() { l.set(true) }

func (l *lagging) release() { l.set(false) }

func (l *lagging) set(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = held
	l.changed.Broadcast()
}

// awaitPassedOn waits until a watch has delivered an object's version. Objects of built-in types are not JSON.
func (l *lagging) awaitPassedOn(resource, version string) {
	l.w.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	needle := fmt.Appendf(nil, `"resourceVersion":"%s"`, version)
	for l.passedOn[resource] == nil || !bytes.Contains(l.passedOn[resource].Bytes(), needle) {
		l.changed.Wait()
	}
}

// lateBody is a watch, as slow as its server is told to be.
type lateBody struct {
	io.ReadCloser
	of       *lagging
	resource string
}

func (b *lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	for b.of.held && b.resource == b.of.resource {
		b.of.changed.Wait()
	}
	if b.of.passedOn[b.resource] == nil {
		b.of.passedOn[b.resource] = &bytes.Buffer{}
	}
	b.of.passedOn[b.resource].Write(p[:n])
	b.of.changed.Broadcast()
	return n, err
}
