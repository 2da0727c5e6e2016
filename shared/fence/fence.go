// Package fence stops the writes of a leader that may be none any more, by its own clock.
//
// client-go's leader election "does not guarantee that only one client is acting as a leader (a.k.a. fencing)"
// (k8s.io/client-go@v0.37.2/tools/leaderelection/leaderelection.go:20 "(a.k.a. fencing)"). A leader that cannot renew its Lease
// is told when it has tried for the renew deadline, and has then tried to release the Lease for as long again; by then another
// may lead. One whose process was stopped begins to count when it wakes up, and works meanwhile. Both know better: when a
// renewal last succeeded is theirs to remember.
//
// What remains is a write that left this process before its time was up, and that takes longer on its way than the
// difference between the Lease's duration and the renew deadline.
package fence

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrClosed is why a write is refused: the Lease was not renewed in time, or never held.
var ErrClosed = errors.New("not written: the Lease has not been renewed within the renew deadline")

// Fence is open for as long as the renew deadline from each renewal on. It may be used by several goroutines at once.
type Fence struct {
	deadline time.Duration
	now      func() time.Time

	mu      sync.Mutex
	renewed time.Time // when the last renewal that succeeded was sent; zero before the first
}

// New returns a closed fence for a leader with a renew deadline.
func New(renewDeadline time.Duration) *Fence {
	return &Fence{deadline: renewDeadline, now: time.Now}
}

// Check is nil while the fence is open, and ErrClosed otherwise.
func (f *Fence) Check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.renewed.IsZero() || elapsed(f.renewed, f.now()) >= f.deadline {
		return ErrClosed
	}
	return nil
}

// elapsed is the longer of what the monotonic clock and the wall clock say: on a machine that sleeps, the one stands still,
// and the other can be set.
func elapsed(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}

// Transport stands around all requests to the API server, those for the Lease among them, from which it learns of
// renewals. Reads pass, and so do questions about access, which change nothing. Wrap a rest.Config with it before any
// client is made of it.
func (f *Fence) Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if !writes(request) {
			return next.RoundTrip(request)
		}
		if !renews(request) {
			if err := f.Check(); err != nil {
				return nil, fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
			}
			return next.RoundTrip(request)
		}
		sent := f.now()
		answer, err := next.RoundTrip(request)
		if err == nil && answer.StatusCode < 300 {
			f.renew(sent)
		}
		return answer, err
	})
}

func (f *Fence) renew(sent time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed = sent
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func writes(request *http.Request) bool {
	return request.Method != http.MethodGet && request.Method != http.MethodHead &&
		!strings.HasPrefix(request.URL.Path, "/apis/authentication.k8s.io/") &&
		!strings.HasPrefix(request.URL.Path, "/apis/authorization.k8s.io/")
}

// renews tells the writes of Leases, which are the election's alone, by their path.
func renews(request *http.Request) bool {
	return strings.HasPrefix(request.URL.Path, "/apis/coordination.k8s.io/") && strings.Contains(request.URL.Path, "/leases")
}
