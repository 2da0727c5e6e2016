package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

func TestNamesLeader(t *testing.T) {
	annotated := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{leaderAnnotation: "{}"}}}
	raw, err := annotated.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	const (
		object   = `{"metadata":{"name":"lock","annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}}`
		mentions = `{"metadata":{"name":"notes"},"data":{"about":"control-plane.alpha.kubernetes.io/leader"}}`
	)
	for _, test := range []struct {
		name, contentType, body string
		want                    bool
	}{
		{"JSON", "application/json", object, true},
		{"JSON with a charset", "application/json; charset=utf-8", object, true},
		{"protobuf", "application/vnd.kubernetes.protobuf", string(protobufMagic) + string(envelope), true},
		{"merge patch", "application/merge-patch+json", object, true},
		{"merge patch that removes it", "application/merge-patch+json",
			`{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":null}}}`, true},
		{"strategic merge patch", "application/strategic-merge-patch+json", object, true},
		{"apply", "application/apply-patch+yaml", "metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{}'}}", true},
		{"JSON patch of the annotation", "application/json-patch+json",
			`[{"op":"replace","path":"/metadata/annotations/control-plane.alpha.kubernetes.io~1leader","value":"{}"}]`, true},
		{"JSON patch of all annotations", "application/json-patch+json",
			`[{"op":"add","path":"/metadata/annotations","value":{"control-plane.alpha.kubernetes.io/leader":"{}"}}]`, true},
		{"JSON patch of something else", "application/json-patch+json", `[{"op":"remove","path":"/metadata/annotations"}]`, false},
		{"mentioned elsewhere", "application/json", mentions, false},
		{"mentioned elsewhere in a patch", "application/merge-patch+json", mentions, false},
		{"no annotations", "application/json", `{"metadata":{"name":"lock"}}`, false},
		{"no YAML", "application/apply-patch+yaml", "\t", false},
		{"no JSON", "application/json", "lock", false},
		{"nothing", "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := namesLeader(test.contentType, []byte(test.body)); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// Which requests are about a lock, of those that a client sends one after the other to an API server that knows no object.
func TestLeaderLocks(t *testing.T) {
	const (
		configMaps = "/api/v1/namespaces/d/configmaps"
		endpoints  = "/api/v1/namespaces/d/endpoints"
		annotated  = `{"metadata":{"name":"l","annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}}`
		plain      = `{"metadata":{"name":"l"}}`
	)
	type sent struct {
		method, path, body string
		want               bool
	}
	for name, requests := range map[string][]sent{
		"Endpoints, from the first write on": {
			{"PUT", endpoints + "/l", annotated, true},
			{"PUT", endpoints + "/l", plain, true},
			{"GET", endpoints + "/l", "", true},
			{"DELETE", endpoints + "/l", "", true},
			{"PUT", endpoints + "/other", plain, false},
			{"GET", endpoints, "", false},
		},
		"what came before the first write": {
			{"GET", configMaps + "/l", "", true},
			{"PUT", configMaps + "/l", plain, true},
			{"GET", configMaps + "/other", "", false},
			{"PATCH", configMaps + "/l", annotated, true},
		},
		"a create that is refused": {
			{"POST", configMaps, annotated, true},
			{"GET", configMaps + "/l", "", false},
		},
		"what is annotated and is no lock": {
			{"PUT", "/api/v1/namespaces/d/pods/l", annotated, false},
			{"PUT", "/apis/example.com/v1/namespaces/d/configmaps/l", annotated, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, http.NotFound)
			client := newClient(t, p.CA(), true)
			for _, r := range requests {
				request, err := http.NewRequestWithContext(within(t), r.method, p.URL()+r.path, strings.NewReader(r.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", "application/json")
				if r.method == "PATCH" {
					request.Header.Set("Content-Type", "application/merge-patch+json")
				}
				answer, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			for i, x := range p.Exchanges() {
				if x.LeaderLock != requests[i].want {
					t.Errorf("%s %s: LeaderLock %t", requests[i].method, requests[i].path, x.LeaderLock)
				}
			}
		})
	}
}

// An older client holds its lock on a ConfigMap: it looks whether there is one, creates it, and renews it all the time. Another one
// looks at it, and writes nothing.
func TestOlderLeaderElection(t *testing.T) {
	s, standby := newStage(t), newStage(t)
	standby.namespace = s.namespace
	maps := s.client().CoreV1().ConfigMaps(s.namespace)
	if _, err := maps.Get(s.Context(), "lock", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	lock := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "lock", Annotations: map[string]string{leaderAnnotation: "{}"}}}
	if _, err := maps.Create(s.Context(), lock, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(s.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			lock.Annotations[leaderAnnotation] = time.Now().String()
			_, _ = maps.Update(ctx, lock, metav1.UpdateOptions{})
		}, 20*time.Millisecond)
	}()
	if err := s.proxy.Quiet(within(t), 200*time.Millisecond); err != nil {
		t.Errorf("no quiet beside a lock that is renewed: %v", err)
	}
	_, err := standby.client().CoreV1().ConfigMaps(s.namespace).Get(s.Context(), "lock", metav1.GetOptions{})
	if err != nil {
		t.Error(err)
	}
	stop()
	<-stopped
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	if _, err := maps.Create(s.Context(), other, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	for _, x := range append(s.proxy.Exchanges(), standby.proxy.Exchanges()...) {
		if want := x.Name != "other"; x.LeaderLock != want {
			t.Errorf("%s %s: LeaderLock %t, want %t", x.Place, x.Name, x.LeaderLock, want)
		}
	}
}
