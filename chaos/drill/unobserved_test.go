package drill

import (
	"strings"
	"testing"

	"example.com/twinloop/chaos/proxy"
)

func TestWritesThatNobodyObserves(t *testing.T) {
	d := &Definition{Observe: []string{"pods", "deployments.apps"}}
	for _, test := range []struct {
		name string
		proxy.Request
		status int
		want   string
	}{
		{"observed", proxy.Request{Verb: "create", Namespace: "n", Resource: "pods"}, 201, ""},
		{"observed, of a group", proxy.Request{Verb: "patch", Namespace: "n", Group: "apps", Resource: "deployments"}, 200, ""},
		{"not observed", proxy.Request{Verb: "create", Namespace: "n", Resource: "configmaps"}, 201, "writes configmaps, "},
		{"the same name in another group", proxy.Request{Verb: "update", Namespace: "n", Group: "x.io", Resource: "pods"}, 200, "writes pods.x.io, "},
		{"its status", proxy.Request{Verb: "update", Namespace: "n", Group: "x.io", Resource: "a", Subresource: "status"}, 200, "writes a.x.io, "},
		{"refused", proxy.Request{Verb: "create", Namespace: "n", Resource: "configmaps"}, 403, ""},
		{"only read", proxy.Request{Verb: "get", Namespace: "n", Resource: "configmaps"}, 200, ""},
		{"an event", proxy.Request{Verb: "create", Namespace: "n", Group: "events.k8s.io", Resource: "events"}, 201, ""},
		{"its leader lock", proxy.Request{Verb: "update", Namespace: "n", Resource: "configmaps", LeaderLock: true}, 200, ""},
		{"elsewhere", proxy.Request{Verb: "create", Resource: "clusterroles"}, 201, ""},
	} {
		run := &Recording{Namespace: "n", Exchanges: []Exchange{{1, proxy.Exchange{Request: test.Request, Status: test.status}}}}
		switch err := d.checkObserved(run); {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
