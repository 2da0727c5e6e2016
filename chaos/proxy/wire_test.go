package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func TestIdentityAndRequestPassUntouched(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			seen := make(chan *http.Request, 1)
			body := make(chan string, 1)
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				content, _ := io.ReadAll(r.Body)
				seen <- r
				body <- string(content)
				created(w, r)
			})
			const path = pods + "?fieldManager=a;b&pretty=%zz"
			request, err := http.NewRequestWithContext(within(t), "POST", p.URL()+path, strings.NewReader("payload"))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{
				"Authorization":    "Bearer the-operators-own",
				"Impersonate-User": "someone",
				"User-Agent":       "handwired/1.0",
				"Accept":           "application/vnd.kubernetes.protobuf",
			}
			for key, value := range want {
				request.Header.Set(key, value)
			}
			answer, err := newClient(t, p.CA(), http2).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if want := map[bool]int{false: 1, true: 2}[http2]; answer.ProtoMajor != want {
				t.Errorf("the proxy spoke HTTP/%d, want HTTP/%d", answer.ProtoMajor, want)
			}

			got := <-seen
			for key, value := range want {
				if got.Header.Get(key) != value {
					t.Errorf("%s: %q reached the API server, want %q", key, got.Header.Get(key), value)
				}
			}
			if got.Header.Get("X-Forwarded-For") != "" {
				t.Errorf("the proxy added X-Forwarded-For")
			}
			if got.RequestURI != path {
				t.Errorf("%q reached the API server, want %q", got.RequestURI, path)
			}
			if got.ProtoMajor != 2 {
				t.Errorf("the proxy spoke HTTP/%d to the API server, want HTTP/2", got.ProtoMajor)
			}
			if got := <-body; got != "payload" {
				t.Errorf("body %q reached the API server", got)
			}
		})
	}
}

// TestWatchIsNotBuffered has the API server send each event only when the one before has arrived.
func TestWatchIsNotBuffered(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) {
				serveWatch(w, r, next)
			})
			lines := openWatch(t, p, http2) // the headers have come, and no event yet
			for i := range 3 {
				next <- struct{}{}
				if !lines.Scan() {
					t.Fatalf("the watch ended: %v", lines.Err())
				}
				if got, want := lines.Text(), frame(i); got != want {
					t.Errorf("event %d: %s, want %s", i, got, want)
				}
			}
			if !p.Exchanges()[0].Finished.IsZero() {
				t.Errorf("an open watch is recorded as finished")
			}
		})
	}
}

func frame(i int) string {
	return fmt.Sprintf(`{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":`+
		`{"namespace":"default","name":"p%d","uid":"u%d","resourceVersion":"%d"}}}`, i, i, 100+i)
}

// serveWatch sends one event each time next gives leave.
func serveWatch(w http.ResponseWriter, r *http.Request, next <-chan struct{}) {
	w.Header().Set("Content-Type", "application/json")
	w.(http.Flusher).Flush()
	for i := 0; ; i++ {
		select {
		case <-next:
			fmt.Fprintln(w, frame(i))
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func openWatch(t *testing.T, p *Proxy, http2 bool) *bufio.Scanner {
	return readWatch(within(t), t, newClient(t, p.CA(), http2), p.URL()+pods+"?watch=true")
}

func watchFrom(ctx context.Context, t *testing.T, p *Proxy, version string) *bufio.Scanner {
	return readWatch(ctx, t, newClient(t, p.CA(), true), p.URL()+pods+"?watch=true&resourceVersion="+version)
}

func readWatch(ctx context.Context, t *testing.T, client *http.Client, url string) *bufio.Scanner {
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", runtime.ContentTypeProtobuf)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return bufio.NewScanner(answer.Body)
}

func TestCloseEndsOpenWatches(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) { serveWatch(w, r, nil) })
			lines := openWatch(t, p, http2)
			p.Close()
			if lines.Scan() || lines.Err() == nil {
				t.Errorf("the watch ended without an error")
			}
			if x := p.Exchanges()[0]; x.Finished.IsZero() || x.Delivered {
				t.Errorf("the watch is recorded as %+v", x)
			}
		})
	}
}

func TestCloseEndsHangingWrites(t *testing.T) {
	arrived := make(chan struct{})
	p := startProxy(t, Options{}, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	answered := make(chan error)
	go func() {
		_, _, err := do(within(t), newClient(t, p.CA(), true), "POST", p.URL()+pods)
		answered <- err
	}()
	<-arrived
	p.Close()
	if err := <-answered; err == nil {
		t.Errorf("the write was answered")
	}
}

func TestUpgradePasses(t *testing.T) {
	p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		conn, stream, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("the upgrade did not come in HTTP/1.1: %v", err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n",
			r.Header.Get("Upgrade"))
		line, _ := stream.ReadString('\n')
		fmt.Fprint(conn, "echo "+line)
	})
	conn := dialTLS(t, p)
	fmt.Fprintf(conn, "POST %s/a/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n", pods)
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("status %s", answer.Status)
	}
	fmt.Fprintln(conn, "hello")
	if line, err := reader.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("read %q, error %v", line, err)
	}
}

func TestAPIServerAway(t *testing.T) {
	p, err := New(&url.URL{Scheme: "https", Host: "127.0.0.1:1"}, mustAuthority(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if status, _, err := do(within(t), newClient(t, p.CA(), true), "POST", p.URL()+pods); err == nil {
		t.Errorf("status %d, want no answer", status)
	}
	if x := p.Exchanges()[0]; !x.Forwarded || x.Status != 0 || x.Delivered || x.Committed() {
		t.Errorf("recorded as %+v", x)
	}
}

func mustAuthority(t *testing.T) []byte {
	ca, _, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	tests := []struct {
		upstream string
		ca       []byte
		err      string
	}{
		{"http://127.0.0.1:1", mustAuthority(t), "want https://host:port"},
		{"127.0.0.1", mustAuthority(t), "want https://host:port"},
		{"https://127.0.0.1:1", nil, "want at least one PEM certificate"},
	}
	for _, test := range tests {
		upstream, err := url.Parse(test.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(upstream, test.ca, Options{}); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want one with %q", test.upstream, err, test.err)
		}
	}
}

func TestClientGo(t *testing.T) {
	next := make(chan struct{}, 1)
	next <- struct{}{}
	p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch request := ParseRequest(r); request.Verb {
		case "watch":
			serveWatch(w, r, next)
		case "list":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`)
		default:
			t.Errorf("client-go sent %+v", request)
		}
	})
	config := &rest.Config{Host: p.URL(), BearerToken: "t0ken", TLSClientConfig: rest.TLSClientConfig{CAData: p.CA()}}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	dynamicClient, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	resource := dynamicClient.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("default")

	list, err := resource.List(within(t), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].GetName() != "a" {
		t.Errorf("list %v, error %v", list, err)
	}
	watcher, err := resource.Watch(within(t), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if event := <-watcher.ResultChan(); event.Type != "ADDED" {
		t.Errorf("event %+v", event)
	}
	if counts := p.Counts(); counts["LIST pods"] != 1 || counts["WATCH pods"] != 1 || len(counts) != 2 {
		t.Errorf("counts %v", counts)
	}
}

// TestHalfSentWriteIsNotForwarded kills a caller in the middle of a body.
func TestHalfSentWriteIsNotForwarded(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, func(http.ResponseWriter, *http.Request) {
				t.Errorf("the API server saw half a request")
			})
			body, writer := io.Pipe()
			request, err := http.NewRequestWithContext(within(t), "POST", p.URL()+pods, body)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = io.WriteString(writer, `{"kind":`)
				writer.CloseWithError(errors.New("killed"))
			}()
			if _, err := newClient(t, p.CA(), http2).Do(request); err == nil {
				t.Errorf("half a request was answered")
			}
			p.Close()
			if got := p.Exchanges(); len(got) != 0 {
				t.Errorf("half a request was recorded: %+v", got)
			}
		})
	}
}
