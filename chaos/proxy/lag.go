package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Lag is time travel: an operator that starts from now on sees the resources as of a version, as from an API server
// whose watch cache has fallen behind those of its peers, until CatchUp. Set it between [Proxy.Freeze] and [Proxy.Thaw]
// or before the first start. What it shows is the past that the API server keeps in etcd, so every object it shows
// existed; the version must be one of those not yet compacted (five minutes, by default).
//
//   - A LIST that may come from the cache is sent as one of exactly that version, whole: the cache knows no limit.
//   - A WatchList gets the objects of that version as initial events, with the closing bookmark, and nothing more until
//     CatchUp; then the API server's own watch from that version follows. The caller needs leave to list as well.
//   - A watch from a version, and whatever names a version later than that of the Lag, waits until CatchUp.
//   - LISTs without a version, GETs and writes go through: they are consistent reads, or none.
//
// One thing here is harsher than an API server may be: a WatchList without a version, which is what a Reflector begins
// with, is a consistent read, and a server that keeps its promises has its cache catch up before it answers. For clients
// that begin so, Lag is a server that does not. For those that begin with a LIST from version 0 it is entirely fair.
//
// Watches that are open already are not affected. Lag panics unless [Options.ReadFrames] is set.
func (p *Proxy) Lag(resourceVersion string, resources ...string) {
	p.requireFrames("Lag")
	p.change(func(c *conditions) { c.lag = &lag{version: resourceVersion, resources: resources} })
}

// CatchUp ends the Lag.
func (p *Proxy) CatchUp() {
	p.change(func(c *conditions) { c.lag = nil })
}

type lag struct {
	version   string
	resources []string
}

// A tense is the time that a request is about.
type tense int

const (
	present tense = iota // as things are
	past                 // as of the version of the Lag
	future               // later than that
)

// tense tells which of them a lagging API server has the request about.
func (l *lag) tense(r Request, query url.Values) tense {
	version := query.Get("resourceVersion")
	switch {
	case l == nil || !slices.Contains(l.resources, r.Resource):
		return present
	case r.Verb == "watch" && !isWatchList(r, query):
		return future
	case r.Verb != "watch" && !isCachedList(r, query):
		return present
	case older(l.version, version):
		return future
	default:
		return past
	}
}

// catchUp waits until the API server has caught up with what the call is about.
func (c *Call) catchUp() error {
	return c.until(c.caller, func(now *conditions) bool { return now.lag.tense(c.Request, c.query) != future })
}

// laggedTo is the version as of which the call is to be answered, if it is.
func (c *Call) laggedTo() (version string, ok bool) {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	l := c.proxy.conditions.lag
	if l.tense(c.Request, c.query) != past {
		return "", false
	}
	return l.version, true
}

// exactly asks for the state of a version.
func exactly(version string, query url.Values) url.Values {
	exact := url.Values{}
	for key, values := range query {
		if !slices.Contains(aboutWatching, key) {
			exact[key] = values
		}
	}
	exact.Set("resourceVersion", version)
	exact.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	return exact
}

// onwards asks for the changes since a version.
func onwards(version string, query url.Values) url.Values {
	from := url.Values{}
	for key, values := range query {
		from[key] = values
	}
	from.Set("resourceVersion", version)
	from.Del("resourceVersionMatch")
	from.Del("sendInitialEvents")
	return from
}

// aboutWatching are the parameters of a watch, or of a LIST from the cache, that a LIST of an exact version cannot have
// or would obey where the cache does not.
var aboutWatching = []string{"watch", "sendInitialEvents", "allowWatchBookmarks", "timeoutSeconds", "limit"}

// replay answers a WatchList with the state of a version, and after CatchUp with what has happened since.
func (c *Call) replay(version string) (*http.Response, outcome, error) {
	list := c.outbound.Clone(c.outbound.Context())
	list.URL.RawQuery = exactly(version, c.query).Encode()
	for i, accept := range list.Header["Accept"] {
		list.Header["Accept"][i] = asList(accept)
	}
	answer, err := c.proxy.http2.RoundTrip(list)
	if err != nil {
		return nil, outcome{}, err
	}
	result := outcome{status: answer.StatusCode}
	if !hasFrames(answer) {
		return answer, result, nil
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		return nil, result, err
	}
	initial, err := initialEvents(body)
	if err != nil {
		return nil, result, fmt.Errorf("read the list of %s at version %s: %w", c.Resource, version, err)
	}
	return framesAnswer(c.stream(func(ctx context.Context, emit func([]byte) bool) error {
		for _, frame := range initial {
			if !emit(frame) {
				return ctx.Err()
			}
		}
		return c.goOn(ctx, version, emit)
	})), result, nil
}

// goOn waits for CatchUp, and then brings what has happened since the version.
func (c *Call) goOn(ctx context.Context, version string, emit func([]byte) bool) error {
	since := c.outbound.Clone(ctx)
	since.URL.RawQuery = onwards(version, c.query).Encode()
	err := c.until(ctx, func(now *conditions) bool { return now.lag.tense(c.Request, since.URL.Query()) == present })
	if err != nil {
		return err
	}
	if !c.depart() {
		return ErrDropped
	}
	answer, err := c.proxy.http2.RoundTrip(since)
	if err != nil {
		return err
	}
	if !hasFrames(answer) {
		answer.Body.Close()
		return ErrDropped
	}
	return relay(answer.Body)(ctx, emit)
}

var (
	metadataOnly = regexp.MustCompile(`as=PartialObjectMetadata\b`)
	streaming    = regexp.MustCompile(`;\s*stream=watch`)
)

// asList asks for a list in the shape that a watch would have its objects in.
func asList(accept string) string {
	return streaming.ReplaceAllString(metadataOnly.ReplaceAllString(accept, "as=PartialObjectMetadataList"), "")
}

// initialEvents are the frames with which a WatchList would bring a list.
func initialEvents(list []byte) ([][]byte, error) {
	var content struct {
		metav1.TypeMeta
		Metadata metav1.ListMeta              `json:"metadata"`
		Items    []map[string]json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(list, &content); err != nil {
		return nil, err
	}
	type frame struct {
		Type   watch.EventType `json:"type"`
		Object any             `json:"object"`
	}
	item := metav1.TypeMeta{APIVersion: content.APIVersion, Kind: content.Kind[:max(0, len(content.Kind)-len("List"))]}
	kind, err := json.Marshal(item.Kind)
	if err != nil {
		return nil, err
	}
	apiVersion, err := json.Marshal(item.APIVersion)
	if err != nil {
		return nil, err
	}
	var events []frame
	for _, object := range content.Items {
		// The items of a built-in type's list leave to the list what they are.
		if _, named := object["kind"]; !named {
			object["kind"], object["apiVersion"] = kind, apiVersion
		}
		events = append(events, frame{watch.Added, object})
	}
	events = append(events, frame{watch.Bookmark, metav1.PartialObjectMetadata{
		TypeMeta: item,
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: content.Metadata.ResourceVersion,
			Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		},
	}})
	frames := make([][]byte, len(events))
	for i, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		frames[i] = append(text, '\n')
	}
	return frames, nil
}
