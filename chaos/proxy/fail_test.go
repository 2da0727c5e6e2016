package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Each fault strikes the second of three requests alone; what was stored, what the caller heard and what the journal says
// of it is the fault's.
func TestFaultsThatKillNobody(t *testing.T) {
	second := Place{Step: "roll", Kind: "POST pods", Ordinal: 2}
	for name, test := range map[string]struct {
		interceptor func(struck func()) Interceptor
		status      int // that the caller hears; 0 for none
		stored      int32
		forwarded   bool
	}{
		"drop":   {func(struck func()) Interceptor { return Drop(second, struck) }, 0, 2, false},
		"cut":    {func(struck func()) Interceptor { return Cut(second, struck) }, 0, 3, true},
		"refuse": {func(struck func()) Interceptor { return Refuse(second, 409, struck) }, 409, 2, false},
	} {
		for protocol, http2 := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				var stored atomic.Int32
				p := startProxy(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
					stored.Add(1)
					created(w, r)
				})
				struck := 0
				p.Mark("roll")
				p.Intercept(test.interceptor(func() { struck++ }))
				client := newClient(t, p.CA(), http2)
				mustDo(t, client, "POST", p.URL()+pods)
				status, _, err := do(within(t), client, "POST", p.URL()+pods)
				if (err == nil) != (test.status != 0) || status != test.status {
					t.Errorf("the caller heard status %d, %v; want %d", status, err, test.status)
				}
				mustDo(t, client, "POST", p.URL()+pods)
				p.Close()
				if struck != 1 || stored.Load() != test.stored {
					t.Errorf("struck %d times, stored %d pods; want 1 and %d", struck, stored.Load(), test.stored)
				}
				if x := p.Exchanges()[1]; x.Forwarded != test.forwarded || x.Committed() != test.forwarded {
					t.Errorf("recorded as %+v", x)
				}
			})
		}
	}
}

// A refusal is in the words of the API server, which clients act on.
func TestRefusalIsAStatus(t *testing.T) {
	for code, reason := range map[int]metav1.StatusReason{
		409: metav1.StatusReasonConflict,
		429: metav1.StatusReasonTooManyRequests,
		500: metav1.StatusReasonInternalError,
		503: metav1.StatusReasonServiceUnavailable,
		504: metav1.StatusReasonTimeout,
	} {
		answer, err := refusal(Request{Verb: "create", Resource: "pods"}, code)
		if err != nil {
			t.Fatal(err)
		}
		var status metav1.Status
		if err := json.NewDecoder(answer.Body).Decode(&status); err != nil {
			t.Fatal(err)
		}
		if status.Kind != "Status" || int(status.Code) != code || status.Reason != reason {
			t.Errorf("%d is answered with %+v, want reason %s", code, status, reason)
		}
		if retry := answer.Header.Get("Retry-After"); (retry == "1") != (code == 429) {
			t.Errorf("%d asks to retry after %q", code, retry)
		}
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%d is %s", code, answer.Header.Get("Content-Type"))
		}
	}
}
