package proxy

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lockMeta is of an object in which leader election keeps its record.
func lockMeta(holder string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "lock", Annotations: map[string]string{
		resourcelock.LeaderElectionRecordAnnotationKey: `{"holderIdentity":"` + holder + `"}`}}
}

func TestRecordsLeader(t *testing.T) {
	raw, err := (&corev1.ConfigMap{ObjectMeta: lockMeta("a")}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	const (
		record = `{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}}`
		other  = `{"metadata":{"annotations":{"example.com/leader":"{}"}},"data":{"text":"control-plane.alpha.kubernetes.io/leader"}}`
	)
	for _, test := range []struct {
		contentType, body string
		want              bool
	}{
		{"application/json", record, true},
		{"application/json; charset=utf-8", record, true},
		{"", record, true},
		{"application/json", other, false},
		{"application/json", "no JSON", false},
		{runtime.ContentTypeProtobuf, string(protobufMagic) + string(envelope), true},
		{runtime.ContentTypeProtobuf, record, false},
		{string(types.MergePatchType), record, true},
		{string(types.StrategicMergePatchType), record, true},
		{string(types.MergePatchType), other, false},
		{string(types.ApplyYAMLPatchType), "metadata:\n  annotations: {control-plane.alpha.kubernetes.io/leader: '{}'}\n", true},
		{string(types.ApplyYAMLPatchType), "data: {}", false},
		{string(types.JSONPatchType), `[{"op":"replace","path":"/metadata/annotations/control-plane.alpha.kubernetes.io~1leader","value":"{}"}]`, true},
		{string(types.JSONPatchType), `[{"op":"replace","path":"/data/x","value":"y"}]`, false},
		{string(types.JSONPatchType), record, false},
	} {
		if got := recordsLeader(test.contentType, []byte(test.body)); got != test.want {
			t.Errorf("%s %q: %t, want %t", test.contentType, test.body, got, test.want)
		}
	}
}

// A ConfigMap is known for a lock from the first time that the record is seen in it, and others are not.
func TestLeaderLock(t *testing.T) {
	s := newStage(t)
	maps := s.client().CoreV1().ConfigMaps(s.namespace)
	must := func(_ *corev1.ConfigMap, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	lock, work := &corev1.ConfigMap{ObjectMeta: lockMeta("a")}, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "work"}}
	_, _ = maps.Get(t.Context(), "lock", metav1.GetOptions{})
	must(maps.Create(t.Context(), lock, metav1.CreateOptions{}))
	must(maps.Get(t.Context(), "lock", metav1.GetOptions{}))
	must(maps.Create(t.Context(), work, metav1.CreateOptions{}))
	must(maps.Update(t.Context(), lock, metav1.UpdateOptions{}))
	must(maps.Update(t.Context(), work, metav1.UpdateOptions{}))
	must(maps.Patch(t.Context(), "lock", types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{}))
	want := []string{
		"GET configmaps #1", // which is not there yet
		"POST configmaps[leader-lock] #1", "GET configmaps[leader-lock] #1",
		"POST configmaps #1", "PUT configmaps[leader-lock] #1", "PUT configmaps #1", "PATCH configmaps[leader-lock] #1",
	}
	var got []string
	for _, x := range s.proxy.Exchanges() {
		got = append(got, x.Place.String())
		if x.LeaderLock != (x.Name == "lock" && x.Status < 300) {
			t.Errorf("%s of %s: a leader lock is %t", x.Place, x.Name, x.LeaderLock)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A standby only reads the lock that another holds.
func TestLeaderLockOfAnother(t *testing.T) {
	s := newStage(t)
	direct, err := kubernetes.NewForConfig(cp.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	lock := []byte(`{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"lock","annotations":` +
		`{"control-plane.alpha.kubernetes.io/leader":"{\"holderIdentity\":\"another\"}"}}}`)
	endpoints := func(r *rest.Request) *rest.Request { return r.Namespace(s.namespace).Resource("endpoints") }
	if err := endpoints(direct.CoreV1().RESTClient().Post()).Body(lock).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := endpoints(s.client().CoreV1().RESTClient().Get()).Name("lock").Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range s.proxy.Exchanges() {
		if !x.LeaderLock {
			t.Errorf("%s is not known for a lock", x.Place)
		}
	}
}

// A lock that is renewed without end does not disturb the quiet.
func TestQuietWithLeaderLock(t *testing.T) {
	s := newStage(t)
	s.proxy.options.Background = func(r Request) bool { return r.LeaderLock }
	maps := s.client().CoreV1().ConfigMaps(s.namespace)
	lock := &corev1.ConfigMap{ObjectMeta: lockMeta("a")}
	if _, err := maps.Create(t.Context(), lock, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	renewing, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait.UntilWithContext(renewing, func(context.Context) {
			if _, err := maps.Update(t.Context(), lock, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		}, 20*time.Millisecond)
	}()
	if err := s.proxy.Quiet(within(t), 200*time.Millisecond); err != nil {
		t.Errorf("no quiet beside a lock that is renewed: %v", err)
	}
	stop()
	<-done
	if n := s.proxy.Counts()["PUT configmaps[leader-lock]"]; n < 2 {
		t.Errorf("the lock was renewed %d times", n)
	}
}
