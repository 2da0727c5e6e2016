package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// A WatchEvent is one event of a watch as it passed the proxy.
type WatchEvent struct {
	// Watch is the place of the request that opened the watch.
	Watch Place
	Time  time.Time
	Type  watch.EventType
	// Kind is the object's: Pod, Fleet; Status when Type is ERROR.
	Kind            string
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
}

// parseWatchEvent reads the JSON of one frame. It reports false if that is no watch event.
func parseWatchEvent(frame []byte) (WatchEvent, bool) {
	var event struct {
		Type   watch.EventType              `json:"type"`
		Object metav1.PartialObjectMetadata `json:"object"`
	}
	if err := json.Unmarshal(frame, &event); err != nil || event.Type == "" {
		return WatchEvent{}, false
	}
	return WatchEvent{
		Type:            event.Type,
		Kind:            event.Object.Kind,
		Namespace:       event.Object.Namespace,
		Name:            event.Object.Name,
		UID:             event.Object.UID,
		ResourceVersion: event.Object.ResourceVersion,
	}, true
}

// sawFrame enters a frame in the journal.
func (c *Call) sawFrame(frame []byte) {
	event, ok := parseWatchEvent(frame)
	if !ok {
		return
	}
	event.Watch = c.Place
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	event.Time = time.Now()
	c.proxy.journal.watchEvents = append(c.proxy.journal.watchEvents, event)
}

// toJSON turns the encodings an API server offers into the one that can be read without knowing the types. The
// parameters stay: they ask for another shape of the object (`as=PartialObjectMetadata`).
var toJSON = strings.NewReplacer(
	runtime.ContentTypeProtobuf, runtime.ContentTypeJSON,
	runtime.ContentTypeCBORSequence, runtime.ContentTypeJSON,
	runtime.ContentTypeCBOR, runtime.ContentTypeJSON,
)

// preferJSON asks for JSON, uncompressed.
func preferJSON(header http.Header) {
	for i, accept := range header["Accept"] {
		header["Accept"][i] = toJSON.Replace(accept)
	}
	header.Del("Accept-Encoding")
}

// hasFrames tells whether the answer to a watch is a stream that a frameReader understands.
func hasFrames(answer *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return answer.StatusCode == http.StatusOK && mediaType == runtime.ContentTypeJSON
}

// maxFrame is what a frame may measure: several times what etcd lets an object be (1.5 MiB).
const maxFrame = 16 << 20

// A frameReader passes on a JSON watch stream frame by frame, a frame being a line, and shows each to see just
// before it is passed on. One frame is all it holds. A frame over maxFrame ends the stream with an error.
type frameReader struct {
	io.Closer
	frames *bufio.Scanner
	see    func(frame []byte)
	unread []byte // of the current frame
}

func newFrameReader(stream io.ReadCloser, see func(frame []byte)) *frameReader {
	frames := bufio.NewScanner(stream)
	frames.Buffer(nil, maxFrame)
	frames.Split(splitFrames)
	return &frameReader{Closer: stream, frames: frames, see: see}
}

func (r *frameReader) Read(p []byte) (int, error) {
	if len(r.unread) == 0 {
		if !r.frames.Scan() {
			if err := r.frames.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		r.unread = r.frames.Bytes()
		r.see(r.unread)
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// splitFrames is bufio.ScanLines that keeps the line's end.
func splitFrames(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := bytes.IndexByte(data, '\n') + 1
	if end == 0 && atEOF {
		end = len(data)
	}
	if end == 0 {
		return 0, nil, nil
	}
	return end, data[:end], nil
}
