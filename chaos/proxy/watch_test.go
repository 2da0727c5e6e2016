package proxy

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

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

func TestPreferJSON(t *testing.T) {
	tests := []struct{ accept, want string }{
		{"application/vnd.kubernetes.protobuf, */*", "application/json, */*"},
		{"application/vnd.kubernetes.protobuf;stream=watch", "application/json;stream=watch"},
		{
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
			"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		},
		{"application/cbor-seq,application/cbor", "application/json,application/json"},
		{"application/json", "application/json"},
	}
	for _, test := range tests {
		header := http.Header{"Accept": {test.accept}, "Accept-Encoding": {"gzip"}}
		preferJSON(header)
		if got := header.Get("Accept"); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.accept, got, test.want)
		}
		if header.Get("Accept-Encoding") != "" {
			t.Errorf("compressed frames are accepted")
		}
	}
}

func TestFrameReaderPassesEverythingOn(t *testing.T) {
	for _, stream := range []string{"", "a\n", "a\nbb\n", "a\n\nbb", strings.Repeat("x", 100_000) + "\nlast\n"} {
		var seen []string
		reader := newFrameReader(io.NopCloser(iotest.OneByteReader(strings.NewReader(stream))),
			func(frame []byte) { seen = append(seen, string(frame)) })
		got, err := io.ReadAll(reader)
		if err != nil || string(got) != stream {
			t.Errorf("%.20q passed as %.20q, error %v", stream, got, err)
		}
		if joined := strings.Join(seen, ""); joined != stream {
			t.Errorf("%.20q seen as %.20q", stream, joined)
		}
		if want := len(strings.SplitAfter(strings.TrimSuffix(stream, "\n"), "\n")); stream != "" && len(seen) != want {
			t.Errorf("%.20q seen in %d frames, want %d", stream, len(seen), want)
		}
	}
}

func TestFrameReaderIsBounded(t *testing.T) {
	endless := newFrameReader(io.NopCloser(zeros{}), func([]byte) { t.Errorf("a frame without end was seen") })
	if n, err := io.Copy(io.Discard, endless); !errors.Is(err, bufio.ErrTooLong) || n != 0 {
		t.Errorf("passed %d bytes, error %v", n, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzParseWatchEvent(f *testing.F) {
	f.Add([]byte(frame(1)))
	f.Add([]byte(`{"type":"ERROR","object":{"kind":"Status","code":410}}`))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if event, ok := parseWatchEvent(text); ok && event.Type == "" {
			t.Errorf("%q is no watch event", text)
		}
	})
}
