package proxy

import (
	"bufio"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

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

// Frames joined are the stream they were read from.
func TestScanFrames(t *testing.T) {
	for _, stream := range []string{"", "a\n", "a\nbb\n", "a\n\nbb", strings.Repeat("x", 100_000) + "\nlast\n"} {
		frames := scanFrames(iotest.OneByteReader(strings.NewReader(stream)))
		var got []string
		for frames.Scan() {
			got = append(got, frames.Text())
		}
		want := slices.DeleteFunc(strings.SplitAfter(stream, "\n"), func(line string) bool { return line == "" })
		if !slices.Equal(got, want) || frames.Err() != nil {
			t.Errorf("%.20q read as %.20q, error %v", stream, got, frames.Err())
		}
	}
}

func TestFramesAreBounded(t *testing.T) {
	endless := scanFrames(zeros{})
	if endless.Scan() || !errors.Is(endless.Err(), bufio.ErrTooLong) {
		t.Errorf("read %d bytes, error %v", len(endless.Bytes()), endless.Err())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
