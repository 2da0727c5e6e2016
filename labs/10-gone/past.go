package gone

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/labs/cluster"
)

// past is the time when the informers were cut off.
type past struct {
	version          string // of the pods
	token            string // that continues a LIST of them which was begun then
	informer, lister string // the versions that the informers knew
}

// A reader asks for what was in a past, or has happened since.
type reader struct {
	name string
	ask  func(context.Context, past) error
}

func readers(kube kubernetes.Interface, store etcd) []reader {
	pods, events := kube.CoreV1().Pods(cluster.Namespace), kube.CoreV1().Events(cluster.Namespace)
	return []reader{
		{"etcd", func(ctx context.Context, p past) error {
			_, err := store.modRevision(ctx, keyOf(kept), p.version)
			return err
		}},
		{"watch", func(ctx context.Context, p past) error {
			return firstOf(ctx)(pods.Watch(ctx, metav1.ListOptions{ResourceVersion: p.version}))
		}},
		{"exact-list", func(ctx context.Context, p past) error {
			_, err := pods.List(ctx, metav1.ListOptions{
				ResourceVersion: p.version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
			return err
		}},
		{"next-page", func(ctx context.Context, p past) error {
			_, err := pods.List(ctx, metav1.ListOptions{Limit: 1, Continue: p.token})
			return err
		}},
		{"uncached-watch", func(ctx context.Context, p past) error {
			return firstOf(ctx)(events.Watch(ctx, metav1.ListOptions{ResourceVersion: p.version}))
		}},
	}
}

// keyOf is where the API server keeps a pod in etcd.
func keyOf(pod string) string { return "/registry/pods/" + cluster.Namespace + "/" + pod }

// firstOf returns nil when a watch has brought something, or the error that it has brought instead.
func firstOf(ctx context.Context) func(watch.Interface, error) error {
	return func(w watch.Interface, err error) error {
		if err != nil {
			return err
		}
		defer w.Stop()
		select {
		case first, more := <-w.ResultChan():
			if !more {
				return errors.New("the watch ended")
			}
			if first.Type == watch.Error {
				return apierrors.FromObject(first.Object)
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// What can come of a question about the past.
const (
	answered  = "an answer"
	gone410   = "410"
	compacted = "compacted"
)

func outcome(err error) string {
	switch {
	case err == nil:
		return answered
	case apierrors.IsResourceExpired(err):
		return gone410
	case strings.Contains(err.Error(), "compacted"):
		return compacted
	}
	return err.Error()
}

// How the layers say that a version is gone.
const (
	saidByEtcd       = "required revision has been compacted"
	saidForEtcd      = "The resourceVersion for the provided watch is too old"
	saidByWatchCache = "too old resource version"
)

// words are those of them that an error has.
func words(err error) string {
	for _, said := range []string{saidByEtcd, saidForEtcd, saidByWatchCache} {
		if err != nil && strings.Contains(err.Error(), said) {
			return said
		}
	}
	return fmt.Sprint(err)
}

// happen is a Kubernetes Event, so that a watch of those has something to bring.
func (e *experiment) happen(ctx context.Context) error {
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: "lab-"},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: cluster.Namespace, Name: kept},
	}
	_, err := e.cluster.Kube.CoreV1().Events(cluster.Namespace).Create(ctx, event, metav1.CreateOptions{})
	return err
}
