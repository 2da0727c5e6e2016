package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Expire has every open watch of w's resource end as one does that the API server can no longer continue: with an ERROR
// event that carries the Status 410, Expired. What was held of the resource is lost, the answers to LISTs included, and
// no longer held; what was skipped is lost as well. A watch resumed from a version older than the newest the proxy has
// seen of the resource ends in the same way; one from that version or a newer one misses nothing and goes on.
//
// A client has to relist, whereupon it learns of the state as it is and of nothing that led to it: deletions that were
// held become tombstones, updates run together. client-go's Reflector does not try to resume: after its backoff of about a
// second it opens a WatchList from its last version (NotOlderThan), or sends a LIST from it.
// See k8s.io/client-go@v0.37.2/tools/cache/reflector.go:804#Reflector.watchList and
// k8s.io/client-go@v0.37.2/tools/cache/reflector.go:674#Reflector.list.
//
// A watch expires as a whole: w.Name is of no account.
func (p *Proxy) Expire(w Watched) {
	p.requireFrames("Expire")
	p.change(func(c *conditions) {
		maps.DeleteFunc(c.held, func(held Watched, _ struct{}) bool { return held.Resource == w.Resource })
		c.expiry.times[w.Resource]++
		c.expiry.oldest[w.Resource] = c.expiry.newest[w.Resource]
		for s := range p.streams {
			if s.call.Resource == w.Resource {
				s.expire()
			}
		}
	})
}

// expiry says what a watch can no longer be resumed from.
type expiry struct {
	times  map[string]int    // that each resource has expired
	newest map[string]string // version of each resource that a watch has brought to the proxy
	oldest map[string]string // version of each resource from which a watch can be resumed; none: any
	// torn are the versions of events that a watch withheld when its caller hung up, later ones having passed: by the
	// path watched. A watch resumed from such a version or a newer one would never bring them.
	torn map[string]string
}

func newExpiry() expiry {
	return expiry{times: map[string]int{}, newest: map[string]string{}, oldest: map[string]string{}, torn: map[string]string{}}
}

// saw notes a version that a watch has brought.
func (x *expiry) saw(resource, version string) {
	if version != "" && !older(version, x.newest[resource]) {
		x.newest[resource] = version
	}
}

// resumable tells whether a watch can go on from a version without missing anything.
func (x *expiry) resumable(r Request, version string) bool {
	torn, isTorn := x.torn[r.Path]
	return !older(version, x.oldest[r.Resource]) && (!isTorn || older(version, torn))
}

func (c *Call) expiries() int {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	return c.proxy.conditions.expiry.times[c.Resource]
}

// expired tells whether the call is a watch to be resumed from a version that has expired. Whoever starts afresh, with a
// LIST or a WatchList, mends what was torn.
func (c *Call) expired() bool {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	expiry := &c.proxy.conditions.expiry
	switch version := c.query.Get("resourceVersion"); {
	case c.Verb == "list", isWatchList(c.Request, c.query):
		delete(expiry.torn, c.Path)
		return false
	case c.Verb != "watch", version == "", version == "0":
		return false
	default:
		return !expiry.resumable(c.Request, version)
	}
}

// expiredFrame is the event that ends an expired watch.
func expiredFrame(resource string) []byte {
	status := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version of %s, by a drill", resource)).Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	frame, err := json.Marshal(struct {
		Type   watch.EventType `json:"type"`
		Object metav1.Status   `json:"object"`
	}{watch.Error, status})
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return append(frame, '\n')
}

// expiredAnswer is what the API server answers to a watch from a version that it has no more: 200, and one event.
func expiredAnswer(resource string) *http.Response {
	return framesAnswer(io.NopCloser(bytes.NewReader(expiredFrame(resource))))
}
