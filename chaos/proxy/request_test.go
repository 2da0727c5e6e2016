package proxy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRequest(t *testing.T) {
	pod := func(verb, subresource, name string) Request {
		return Request{Verb: verb, Version: "v1", Resource: "pods", Subresource: subresource, Namespace: "d", Name: name}
	}
	dry := pod("create", "", "")
	dry.DryRun = true
	const namespaced = "/api/v1/namespaces/d/pods"
	const fleets = "/apis/fleet.twinloop.example.com/v1alpha1/namespaces/d/fleets/web"
	fleet := Request{
		Group: "fleet.twinloop.example.com", Version: "v1alpha1",
		Resource: "fleets", Namespace: "d", Name: "web",
	}
	fleetStatus := fleet
	fleet.Verb, fleetStatus.Verb, fleetStatus.Subresource = "update", "patch", "status"

	tests := []struct {
		method, url string
		want        Request
		kind        Kind
		write       bool
	}{
		{"POST", namespaced, pod("create", "", ""), "POST pods", true},
		{"POST", namespaced + "?dryRun=All", dry, "POST pods", false},
		{"GET", namespaced + "/a", pod("get", "", "a"), "GET pods", false},
		{"HEAD", namespaced + "/a", pod("get", "", "a"), "GET pods", false},
		{"GET", namespaced, pod("list", "", ""), "LIST pods", false},
		{"GET", namespaced + "?watch=1", pod("watch", "", ""), "WATCH pods", false},
		{"GET", namespaced + "?watch=false", pod("list", "", ""), "LIST pods", false},
		{"GET", namespaced + "?limit=x&watch=true", pod("watch", "", ""), "WATCH pods", false},
		{"GET", namespaced + "?fieldSelector=metadata.name%3Da", pod("list", "", "a"), "LIST pods", false},
		{"DELETE", namespaced + "/a", pod("delete", "", "a"), "DELETE pods", true},
		{"DELETE", namespaced, pod("deletecollection", "", ""), "DELETECOLLECTION pods", true},
		{"POST", namespaced + "/a/binding", pod("create", "binding", "a"), "POST pods/binding", true},
		{"POST", namespaced + "/a/eviction", pod("create", "eviction", "a"), "POST pods/eviction", true},
		{"POST", namespaced + "/a/exec", pod("create", "exec", "a"), "POST pods/exec", false},
		{"PATCH", fleets + "/status", fleetStatus, "PATCH fleets/status", true},
		{"PUT", fleets, fleet, "PUT fleets", true},
		{
			"PUT", "/apis/coordination.k8s.io/v1/namespaces/d/leases/l",
			Request{
				Verb: "update", Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Namespace: "d", Name: "l",
				LeaderLock: true,
			},
			"PUT leases", true,
		},
		{
			"POST", "/apis/events.k8s.io/v1/namespaces/d/events",
			Request{Verb: "create", Group: "events.k8s.io", Version: "v1", Resource: "events", Namespace: "d"},
			"POST events", true,
		},
		{
			"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			Request{Verb: "create", Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"},
			"POST selfsubjectaccessreviews", false,
		},
		{
			"PUT", "/api/v1/namespaces/d/finalize",
			Request{Verb: "update", Version: "v1", Resource: "namespaces", Subresource: "finalize", Namespace: "d", Name: "d"},
			"PUT namespaces/finalize", true,
		},
		{"GET", "/api/v1/nodes", Request{Verb: "list", Version: "v1", Resource: "nodes"}, "LIST nodes", false},
		{"GET", "/healthz", Request{Verb: "get"}, "GET /healthz", false},
		{"GET", "/api", Request{Verb: "get"}, "GET /api", false},
		{"GET", "/apis/apps/v1", Request{Verb: "get"}, "GET /apis/apps/v1", false},
		{"POST", "/openapi/v3", Request{Verb: "post"}, "POST /openapi/v3", false},
		{"OPTIONS", namespaced, pod("options", "", ""), "OPTIONS pods", false},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.url, func(t *testing.T) {
			got := ParseRequest(httptest.NewRequest(test.method, test.url, nil))
			test.want.Path, _, _ = strings.Cut(test.url, "?")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if got.Kind() != test.kind {
				t.Errorf("kind %q, want %q", got.Kind(), test.kind)
			}
			if got.IsWrite() != test.write {
				t.Errorf("IsWrite %v, want %v", got.IsWrite(), test.write)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add("GET", "/api/v1/namespaces/d/pods", "watch=1")
	f.Add("POST", "/api/v1/namespaces//pods/a/b/c", "dryRun=All")
	f.Add("DELETE", "/apis/a/b/watch", "fieldSelector=%zz")
	f.Add("", "/api/v1/proxy", "limit=-")
	f.Add("PATCH", "/api//namespaces/ ", "=&;")
	f.Fuzz(func(t *testing.T, method, path, query string) {
		request := ParseRequest(&http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}})
		if request.IsWrite() && (request.Resource == "" || request.DryRun) {
			t.Errorf("%+v is no write", request)
		}
		if !strings.Contains(string(request.Kind()), " ") {
			t.Errorf("kind %q has no verb", request.Kind())
		}
	})
}
