package fence

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	lease = "/apis/coordination.k8s.io/v1/namespaces/a/leases/l"
	pods  = "/api/v1/namespaces/a/pods"
)

// world is an API server that answers everything in the same way, and a clock.
type world struct {
	now      time.Time
	status   int
	latency  time.Duration
	received []string
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.received = append(w.received, r.Method+" "+r.URL.Path)
	w.now = w.now.Add(w.latency)
	if w.status == 0 {
		return nil, errors.New("broken connection")
	}
	return &http.Response{StatusCode: w.status}, nil
}

func enter() (*world, *Fence, func(method, path string) error) {
	w := &world{now: time.Now(), status: http.StatusOK}
	f := New(10 * time.Second)
	f.now = func() time.Time { return w.now }
	through := f.Transport(w)
	return w, f, func(method, path string) error {
		_, err := through.RoundTrip(httptest.NewRequest(method, "https://server"+path, nil))
		return err
	}
}

func TestFence(t *testing.T) {
	w, f, send := enter()
	step := func(name string, closed bool, err error) {
		t.Helper()
		if errors.Is(err, ErrClosed) != closed {
			t.Errorf("%s: %v", name, err)
		}
	}
	step("before it leads", true, send("POST", pods))
	step("reads as a standby", false, send("GET", pods))
	step("asks who somebody is", false, send("POST", "/apis/authentication.k8s.io/v1/tokenreviews"))
	step("claims", false, send("PUT", lease))
	step("leads", false, send("POST", pods))
	w.now = w.now.Add(10*time.Second - 1)
	step("leads on the last of its time", false, f.Check())
	w.now = w.now.Add(1)
	step("is out of time", true, send("DELETE", pods+"/x"))
	w.status = http.StatusConflict
	step("fails to renew", false, send("PUT", lease))
	step("has failed to renew", true, f.Check())
	w.status = 0
	_ = send("PUT", lease)
	step("got no answer", true, f.Check())
	w.status, w.latency = http.StatusOK, 4*time.Second
	step("renews, and hears of it late", false, send("PUT", lease))
	w.latency = 0
	w.now = w.now.Add(6 * time.Second)
	step("counts from when the renewal was sent", true, f.Check())
}

// A machine that sleeps does not count monotonic time.
func TestSleep(t *testing.T) {
	w, f, send := enter()
	if err := send("PUT", lease); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Round(0).Add(time.Minute) // without the monotonic clock's reading
	if err := f.Check(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// No write reaches the API server later than the deadline after a renewal that was answered had been sent.
func TestNothingPassesLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _, send := enter()
		var renewed time.Time
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "pause")) * time.Millisecond)
			w.status = rapid.SampledFrom([]int{0, 200, 201, 409, 500}).Draw(t, "status")
			began, before := w.now, len(w.received)
			if rapid.Bool().Draw(t, "renew") {
				if _ = send("PUT", lease); w.status == 200 || w.status == 201 {
					renewed = began
				}
				continue
			}
			_ = send("POST", pods)
			passed, may := len(w.received) > before, !renewed.IsZero() && began.Sub(renewed) < 10*time.Second
			if passed != may {
				t.Fatalf("passed: %t, %s after a renewal", passed, began.Sub(renewed))
			}
		}
	})
}
