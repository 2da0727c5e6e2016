package proxy

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

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

// hasFrames tells whether the answer to a watch is a stream of JSON frames.
func hasFrames(answer *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return answer.StatusCode == http.StatusOK && mediaType == runtime.ContentTypeJSON
}

// framesAnswer is an answer of the proxy's own that brings frames.
func framesAnswer(body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {runtime.ContentTypeJSON}}, Body: body, ContentLength: -1,
	}
}

// maxFrame is what a frame may measure: several times what etcd lets an object be (1.5 MiB).
const maxFrame = 16 << 20

// scanFrames reads a JSON watch stream frame by frame, a frame being a line. A frame over maxFrame is an error.
func scanFrames(body io.Reader) *bufio.Scanner {
	frames := bufio.NewScanner(body)
	frames.Buffer(nil, maxFrame)
	frames.Split(splitFrames)
	return frames
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
