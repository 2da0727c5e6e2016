package proxy

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// A Request is what a request to the API server means.
type Request struct {
	// Verb is the API verb: get, list, watch, create, update, patch, delete or deletecollection; for a path that
	// names no resource, and for methods the API does not know, the HTTP method in lower case.
	Verb string
	// Group is empty for the core group. Version and Resource are empty when the path names no resource.
	Group, Version, Resource, Subresource string
	// Namespace is empty for what is cluster-wide.
	Namespace string
	// Name is empty where the request names no object. A created object's name and UID are known only from the
	// API server's answer: an [Exchange] has them, a [Call] does not.
	Name string
	UID  types.UID
	// DryRun is set on a write that asks the API server to change nothing.
	DryRun bool
	// LeaderLock is set if the request is about an object in which leader election keeps its record: a Lease, or, as far as
	// a [Proxy] has come to know it, a ConfigMap or Endpoints.
	LeaderLock bool
	// Path is the URL path, escaped, without the query.
	Path string
}

// requestInfo is the API server's own parser, told of the same prefixes as in
// k8s.io/apiserver@v0.37.2/pkg/server/config.go:1159#NewRequestInfoResolver.
var requestInfo = apirequest.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

// ParseRequest reads what r means as the API server will. It looks at the method and the URL only.
func ParseRequest(r *http.Request) Request {
	// The error says that the path stops short of a resource; the info is then as good as it gets.
	info, _ := requestInfo.NewRequestInfo(r)
	request := Request{
		Verb:        info.Verb,
		Group:       info.APIGroup,
		Version:     info.APIVersion,
		Resource:    info.Resource,
		Subresource: info.Subresource,
		Namespace:   info.Namespace,
		Name:        info.Name,
		Path:        r.URL.EscapedPath(),
	}
	if request.Verb == "" {
		request.Verb = strings.ToLower(r.Method)
	}
	request.LeaderLock = request.isLease()
	request.DryRun = request.isChange() && r.URL.Query().Has("dryRun")
	return request
}

// Kind is the request's kind: what it does to which resource. A leader lock that is no Lease has kinds of its own, such as
// `PUT configmaps[leader-lock]`: how often it is renewed must not count among the writes that are work.
func (r Request) Kind() Kind {
	verb := strings.ToUpper(r.Verb)
	if method, ok := writeMethods[r.Verb]; ok {
		verb = method
	}
	switch {
	case r.Resource == "":
		return Kind(verb + " " + r.Path)
	case r.LeaderLock && !r.isLease():
		return Kind(verb + " " + r.Resource + "[leader-lock]")
	case r.Subresource == "":
		return Kind(verb + " " + r.Resource)
	default:
		return Kind(verb + " " + r.Resource + "/" + r.Subresource)
	}
}

// IsWrite tells whether the request may change what the API server stores. A dry run does not; nor do the create
// requests that only ask a question (reviews of tokens and of access) or open a stream into a pod.
func (r Request) IsWrite() bool {
	return r.isChange() && !r.DryRun &&
		r.Group != "authentication.k8s.io" && r.Group != "authorization.k8s.io" &&
		!slices.Contains(streams, r.Subresource)
}

func (r Request) isChange() bool {
	_, ok := writeMethods[r.Verb]
	return ok && r.Resource != ""
}

// streams are the subresources through which the API server connects the caller to something else.
var streams = []string{"attach", "exec", "portforward", "proxy"}
