package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"example.com/twinloop/shared/operator"
)

// What a cluster asks of an operator's ports: liveness, readiness and metrics.

func TestProbesAndMetrics(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		probes, metrics := freePort(t), freePort(t)
		w.launch(append(elected, "--health-probe-bind-address="+probes, "--metrics-bind-address="+metrics)...)
		w.awaitOK(probes, "/readyz")
		w.awaitOK(probes, "/healthz")
		w.create(fleet("web"))
		w.eventually(settled("web"))

		text := w.awaitMetrics(metrics)
		for _, series := range []string{
			`workqueue_adds_total\{.*\} [1-9]`,
			`workqueue_depth\{.*\} `,
			`rest_client_requests_total\{.*\} [1-9]`,
			`leader_election_master_status\{.*\} 1`,
			`reconcile_total\{.*result="success".*\} [1-9]`,
		} {
			if !regexp.MustCompile(series).MatchString(text) {
				t.Errorf("no series %s", series)
			}
		}
	})
}

// freePort is an address on loopback that nothing listens on. Its port is outside the range from which systems give out
// ports by themselves, so that none does before the test uses it.
func freePort(t *testing.T) (address string) {
	t.Helper()
	for {
		address = fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			listener.Close()
			return address
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
	}
}

// awaitOK asks until the answer is 200, and returns its body. Nothing else tells when a process listens.
func (w *world) awaitOK(address, path string) (body string) {
	w.Helper()
	answered := func(ctx context.Context) (bool, error) {
		status, text := get(ctx, "http://"+address+path)
		body = text
		return status == http.StatusOK, w.died()
	}
	if err := wait.PollUntilContextTimeout(w.Context(), 50*time.Millisecond, patience, true, answered); err != nil {
		w.Fatalf("%s%s: %v; the last answer was %q", address, path, err, body)
	}
	return body
}

// awaitMetrics asks, as the administrator, until there are metrics.
func (w *world) awaitMetrics(address string) (text string) {
	w.Helper()
	var failure error
	answered := func(ctx context.Context) (bool, error) {
		text, failure = operator.Metrics(ctx, address, cp.AdminConfig().BearerToken)
		return failure == nil, w.died()
	}
	if err := wait.PollUntilContextTimeout(w.Context(), 50*time.Millisecond, patience, true, answered); err != nil {
		w.Fatalf("metrics of %s: %v; the last failure was: %v", address, err, failure)
	}
	return text
}

func get(ctx context.Context, url string) (status int, body string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err.Error()
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}
