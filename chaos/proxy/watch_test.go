package proxy

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestWatchEventsAreRecorded(t *testing.T) {
	next := make(chan struct{}, 2)
	next <- struct{}{}
	next <- struct{}{}
	p := startProxy(t, Options{ReadFrames: true}, func(w http.ResponseWriter, r *http.Request) {
		if accept := r.Header.Get("Accept"); accept != runtime.ContentTypeJSON {
			t.Errorf("the API server was asked for %q", accept)
		}
		serveWatch(w, r, next)
	})
	p.Mark("roll")
	lines := openWatch(t, p, true)
	for range 2 {
		lines.Scan()
	}
	watched := Place{Step: "roll", Kind: "WATCH pods", Ordinal: 1}
	want := []WatchEvent{
		{Watch: watched, Type: "ADDED", Kind: "Pod", Namespace: "default", Name: "p0", UID: "u0", ResourceVersion: "100"},
		{Watch: watched, Type: "ADDED", Kind: "Pod", Namespace: "default", Name: "p1", UID: "u1", ResourceVersion: "101"},
	}
	if diff := cmp.Diff(want, p.WatchEvents(), cmpopts.IgnoreFields(WatchEvent{}, "Time")); diff != "" {
		t.Errorf("watch events (-want +got):\n%s", diff)
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(frame(1)))
	f.Add([]byte(`{"type":"ERROR","object":{"kind":"Status","code":410}}`))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if e := parseEvent(text); e.Type == "" && e.isState() || string(e.frame) != string(text) {
			t.Errorf("%q is read as %+v", text, e)
		}
	})
}
