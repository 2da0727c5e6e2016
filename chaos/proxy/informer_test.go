package proxy

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientfeatures "k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// inBothModes runs a test with Reflectors that begin with a WatchList, and with such that begin with a LIST.
func inBothModes(t *testing.T, test func(t *testing.T)) {
	for name, on := range map[string]bool{"WatchList": true, "LIST": false} {
		t.Run(name, func(t *testing.T) {
			clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, on)
			test(t)
		})
	}
}

// A stage is a namespace of the real API server, with a proxy in front of it.
type stage struct {
	*testing.T
	proxy     *Proxy
	namespace string
	secrets   typedv1.SecretInterface // directly
}

func newStage(t *testing.T) *stage {
	upstream, err := url.Parse(cp.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(upstream, cp.CA, Options{ReadFrames: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	return &stage{T: t, proxy: p, namespace: namespace, secrets: client.CoreV1().Secrets(namespace)}
}

// config is that of an operator behind the proxy.
func (s *stage) config() *rest.Config {
	config := cp.AdminConfig()
	config.Host, config.TLSClientConfig = s.proxy.URL(), rest.TLSClientConfig{CAData: s.proxy.CA()}
	return config
}

// client is an operator's, in protobuf, as informers of built-in types are.
func (s *stage) client() kubernetes.Interface {
	s.Helper()
	config := s.config()
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		s.Fatal(err)
	}
	return client
}

func (s *stage) create(name, state string) *corev1.Secret {
	s.Helper()
	secret, err := s.secrets.Create(s.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"state": state}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return secret
}

func (s *stage) update(name, state string) *corev1.Secret {
	s.Helper()
	secret, err := s.secrets.Get(s.Context(), name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	secret.Labels["state"] = state
	if secret, err = s.secrets.Update(s.Context(), secret, metav1.UpdateOptions{}); err != nil {
		s.Fatal(err)
	}
	return secret
}

func (s *stage) delete(name string) {
	s.Helper()
	if err := s.secrets.Delete(s.Context(), name, metav1.DeleteOptions{}); err != nil {
		s.Fatal(err)
	}
}

// awaitWithheld waits until the proxy keeps back n events.
func (s *stage) awaitWithheld(n int) {
	s.Helper()
	s.await(fmt.Sprintf("%d events withheld", n), func() bool {
		s.proxy.mu.Lock()
		defer s.proxy.mu.Unlock()
		withheld := 0
		for stream := range s.proxy.streams {
			withheld += len(slices.DeleteFunc(slices.Clone(stream.withheld), func(e *event) bool { return !e.isState() }))
		}
		return withheld == n
	})
}

func (s *stage) await(what string, done func() bool) {
	s.Helper()
	err := wait.PollUntilContextTimeout(s.Context(), 5*time.Millisecond, patience, true,
		func(context.Context) (bool, error) { return done(), nil })
	if err != nil {
		s.Fatalf("no %s: %v", what, err)
	}
}

// An informer tells what it tells its handlers.
type informer struct {
	stage *stage
	store cache.Store

	mu   sync.Mutex
	told []string
	// versions of the objects told of, as uid@resourceVersion.
	versions []string
}

// inform starts an informer behind the proxy.
func (s *stage) inform() *informer {
	s.Helper()
	factory := informers.NewSharedInformerFactoryWithOptions(s.client(), 0, informers.WithNamespace(s.namespace))
	secrets := factory.Core().V1().Secrets().Informer()
	i := &informer{stage: s, store: secrets.GetStore()}
	_, err := secrets.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { i.note("add %s", object) },
		UpdateFunc: func(before, after any) {
			if before.(*corev1.Secret).UID != after.(*corev1.Secret).UID {
				i.note("replace %s", after)
			} else {
				i.note("update %s", after)
			}
		},
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				i.note("tombstone %s", tombstone.Obj)
			} else {
				i.note("delete %s", object)
			}
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	factory.StartWithContext(ctx)
	s.Cleanup(func() { stop(); factory.Shutdown() })
	return i
}

func (i *informer) note(format string, object any) {
	secret := object.(*corev1.Secret)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told = append(i.told, fmt.Sprintf(format, secret.Name+"="+secret.Labels["state"]))
	i.versions = append(i.versions, version(secret))
}

func version(object metav1.Object) string {
	return string(object.GetUID()) + "@" + object.GetResourceVersion()
}

// expect waits until the informer has told exactly this since it was last asked.
func (i *informer) expect(want ...string) {
	i.stage.Helper()
	i.compare(want, func([]string) {})
}

// expectState is expect for what came with a list, which has no order.
func (i *informer) expectState(want ...string) {
	i.stage.Helper()
	i.compare(want, slices.Sort)
}

func (i *informer) compare(want []string, order func([]string)) {
	i.stage.Helper()
	var got []string
	err := wait.PollUntilContextTimeout(i.stage.Context(), 5*time.Millisecond, patience, true,
		func(context.Context) (bool, error) { got = i.news(); return len(got) >= len(want), nil })
	order(got)
	if err != nil || !slices.Equal(got, want) {
		i.stage.Fatalf("told %q, want %q (%v)", got, want, err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told = nil
}

func (i *informer) news() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.told)
}

// expectNothing is to be called when what must not be told has had its chance.
func (i *informer) expectNothing() {
	i.stage.Helper()
	if news := i.news(); len(news) > 0 {
		i.stage.Fatalf("told %q", news)
	}
}
