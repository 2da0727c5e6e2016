package hassynced

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
)

// first is how many ConfigMaps there are before the informer starts.
const first = 10

// configMaps are what the proxy holds of a watch.
var configMaps = proxy.Watched{Resource: "configmaps"}

// settings are ConfigMaps, and the informer under experiment, which sees them by way of the proxy.
type settings struct {
	*cluster.Cluster
	informer cache.SharedIndexInformer
	factory  informers.SharedInformerFactory
	cancel   context.CancelFunc
	written  string       // the version of the last write
	read     atomic.Int64 // objects that have reached the informer's reflector
	failures atomic.Int64 // of watches and lists
}

func newSettings(ctx context.Context, c *cluster.Cluster) (*settings, error) {
	s := &settings{Cluster: c}
	for n := 1; n <= first; n++ {
		if err := s.create(ctx, n); err != nil {
			return nil, err
		}
	}
	client, err := kubernetes.NewForConfig(c.ProxyConfig())
	if err != nil {
		return nil, err
	}
	s.factory = informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(cluster.Namespace))
	s.informer = s.factory.Core().V1().ConfigMaps().Informer()
	if err := s.informer.SetTransform(s.count); err != nil {
		return nil, err
	}
	return s, s.informer.SetWatchErrorHandlerWithContext(
		func(context.Context, *cache.Reflector, error) { s.failures.Add(1) })
}

// count is a transform: it is given each object when the reflector has read it, and those of the initial events once more
// when they go to the store.
func (s *settings) count(object any) (any, error) {
	s.read.Add(1)
	return object, nil
}

// start starts the informer. It warns of the broken watches that the lab is about, in the log, and that is left out.
func (s *settings) start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(klog.NewContext(ctx, logr.Discard()))
	s.factory.StartWithContext(ctx)
}

func (s *settings) stop() {
	if s.cancel != nil {
		s.cancel()
	}
	s.factory.Shutdown()
}

func nameOf(n int) string { return fmt.Sprintf("settings-%02d", n) }

// The writes lead straight to the API server.

func (s *settings) create(ctx context.Context, n int) error {
	created, err := s.Kube.CoreV1().ConfigMaps(cluster.Namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: nameOf(n)},
		Data:       map[string]string{color: "red"},
	}, metav1.CreateOptions{})
	return s.wrote(created, err)
}

// color is what is set in every ConfigMap.
const color = "color"

// paint changes the first ConfigMap.
func (s *settings) paint(ctx context.Context, to string) error {
	maps := s.Kube.CoreV1().ConfigMaps(cluster.Namespace)
	current, err := maps.Get(ctx, nameOf(1), metav1.GetOptions{})
	if err != nil {
		return err
	}
	current.Data[color] = to
	return s.wrote(maps.Update(ctx, current, metav1.UpdateOptions{}))
}

func (s *settings) wrote(written *corev1.ConfigMap, err error) error {
	if err == nil {
		s.written = written.ResourceVersion
	}
	return err
}

// cached is how many ConfigMaps the lister has.
func (s *settings) cached() int { return len(s.informer.GetStore().ListKeys()) }

// served is the color of the first ConfigMap as the lister has it.
func (s *settings) served() (string, error) {
	served, err := s.factory.Core().V1().ConfigMaps().Lister().ConfigMaps(cluster.Namespace).Get(nameOf(1))
	if err != nil {
		return "", err
	}
	return served.Data[color], nil
}

// shows tells whether the lister has this color.
func (s *settings) shows(want string) bool {
	got, err := s.served()
	return err == nil && got == want
}
