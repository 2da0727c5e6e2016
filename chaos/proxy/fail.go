package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Drop leaves every request that place covers unsent and unanswered: the connection breaks. It calls struck for each.
func Drop(place Place, struck func()) Interceptor {
	return func(call *Call) (*http.Response, error) {
		if !place.Covers(call.Place) {
			return call.Forward()
		}
		struck()
		return nil, ErrDropped
	}
}

// Cut loses the answer to every request that place covers: the API server has done what was asked for, and the
// connection breaks. It calls struck for each.
func Cut(place Place, struck func()) Interceptor {
	return func(call *Call) (*http.Response, error) {
		answer, err := call.Forward()
		if err != nil || !place.Covers(call.Place) {
			return answer, err
		}
		answer.Body.Close()
		struck()
		return nil, ErrDropped
	}
}

// retryAfter is what a refusal with 429 asks for, in seconds.
const retryAfter = 1

// Refuse answers every request that place covers with an HTTP status, in the words that the API server has for it. The
// request is not sent. It calls struck for each. A 409 to a create is the conflict that quotas have, not AlreadyExists,
// which would be a lie.
func Refuse(place Place, status int, struck func()) Interceptor {
	return func(call *Call) (*http.Response, error) {
		if !place.Covers(call.Place) {
			return call.Forward()
		}
		answer, err := refusal(call.Request, status)
		if err == nil {
			struck()
		}
		return answer, err
	}
}

func refusal(request Request, code int) (*http.Response, error) {
	resource := schema.GroupResource{Group: request.Group, Resource: request.Resource}
	wait := 0
	if code == http.StatusTooManyRequests {
		wait = retryAfter
	}
	status := apierrors.NewGenericServerResponse(code, request.Verb, resource, request.Name, "by a drill", wait, true).Status()
	status.Kind, status.APIVersion = "Status", "v1"
	body, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if wait > 0 {
		header.Set("Retry-After", strconv.Itoa(wait))
	}
	return &http.Response{
		StatusCode: code, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
