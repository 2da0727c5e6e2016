package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// An Exchange is one request and what has become of it so far.
type Exchange struct {
	Request
	Place Place

	// Arrived is when the request had arrived as a whole, Answered when the API server's answer began (for writes
	// and creates: had settled), Finished when the caller had got all of it or could get no more.
	// Answered and Finished are zero for what has not happened.
	Arrived, Answered, Finished time.Time

	// Forwarded is set once the request is on its way to the API server. With Finished set and Status 0 the API
	// server never answered, and what it did is unknown.
	Forwarded bool
	// Status is the HTTP status of the API server's answer, heard by the caller or not; 0 without one.
	Status int
	// Delivered is set when the whole answer was written to a caller still connected. A process killed in that
	// instant may have died without reading it.
	Delivered bool
}

// Committed tells whether the request is a write that the API server has accepted.
func (x Exchange) Committed() bool {
	return x.IsWrite() && x.Status >= 200 && x.Status <= 299
}

// outcome is what the API server's answer says of a request.
type outcome struct {
	status int
	object metav1.ObjectMeta // in the answer to a create, and to a read of what may be a leader lock
}

// readMetadata reads the metadata of the object in an answer, and leaves the answer whole. Metadata is empty where the
// answer is a failure, carries no object, or is encoded in a way not understood.
func readMetadata(answer *http.Response) (metav1.ObjectMeta, error) {
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusCreated || answer.Header.Get("Content-Encoding") != "" {
		return metav1.ObjectMeta{}, nil
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return metav1.ObjectMeta{}, fmt.Errorf("reading the object in an answer: %w", err)
	}
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return decodeMetadata(mediaType, body), nil
}

// protobufMagic opens every Kubernetes protobuf message; a runtime.Unknown follows.
// See k8s.io/apimachinery@v0.37.2/pkg/runtime/serializer/protobuf/protobuf.go:43 "[]byte{0x6b, 0x38, 0x73, 0x00}".
var protobufMagic = []byte("k8s\x00")

// decodeMetadata reads the metadata that stands first in any object, whatever its type.
func decodeMetadata(mediaType string, body []byte) metav1.ObjectMeta {
	var object metav1.PartialObjectMetadata
	var err error
	switch mediaType {
	case runtime.ContentTypeJSON:
		err = json.Unmarshal(body, &object)
	case runtime.ContentTypeProtobuf:
		var envelope runtime.Unknown
		if err = envelope.Unmarshal(bytes.TrimPrefix(body, protobufMagic)); err == nil {
			err = object.Unmarshal(envelope.Raw)
		}
	}
	if err != nil {
		return metav1.ObjectMeta{}
	}
	return object.ObjectMeta
}
