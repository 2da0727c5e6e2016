package bench

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/operator"
)

// writers is how many objects are created at once; it is not the bench that shall be slow.
const writers = 16

func (b *bench) createWithReplicaSets(ctx context.Context, shape Shape) (float64, error) {
	return b.create(ctx, shape, func(ctx context.Context, namespace, name string) error {
		selector, template := podsOf(name)
		_, err := b.kube.AppsV1().ReplicaSets(namespace).Create(ctx, &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       appsv1.ReplicaSetSpec{Replicas: ptr.To(int32(shape.Pods)), Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		return err
	})
}

func (b *bench) createWithOperator(ctx context.Context, subject operator.Operator, shape Shape) (float64, error) {
	process, err := b.startOperator(ctx, subject)
	if err != nil {
		return 0, err
	}
	defer process.Kill()
	return b.create(ctx, shape, func(ctx context.Context, namespace, name string) error {
		return b.createFleet(ctx, namespace, name, shape.Pods)
	})
}

func (b *bench) createFleet(ctx context.Context, namespace, name string, replicas int) error {
	selector, template := podsOf(name)
	_, err := b.fleets.FleetV1alpha1().Fleets(namespace).Create(ctx, &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.FleetSpec{Replicas: ptr.To(int32(replicas)), Selector: selector, Template: template},
	}, metav1.CreateOptions{})
	return err
}

func podsOf(name string) (*metav1.LabelSelector, corev1.PodTemplateSpec) {
	set := map[string]string{"app": name}
	return &metav1.LabelSelector{MatchLabels: set}, corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: set},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}
}

// create creates the owners of a shape in a namespace of their own, and returns how many pods a second followed, from
// the first owner on. The namespace is gone when it returns.
func (b *bench) create(ctx context.Context, shape Shape, createOwner func(ctx context.Context, namespace, name string) error) (float64, error) {
	namespace, remove, err := b.namespace(ctx)
	if err != nil {
		return 0, err
	}
	defer remove()
	pods, err := b.watchPods(ctx, namespace)
	if err != nil {
		return 0, err
	}
	defer pods.Stop()
	began := time.Now()
	if err := createOwners(ctx, namespace, shape.Owners, createOwner); err != nil {
		return 0, err
	}
	if err := awaitAdded(ctx, pods, shape.total()); err != nil {
		return 0, err
	}
	return perSecond(shape.total(), time.Since(began)), nil
}

// awaitAdded waits until a watch has told of n new pods.
func awaitAdded(ctx context.Context, pods watch.Interface, n int) error {
	for created := 0; created < n; {
		select {
		case event, open := <-pods.ResultChan():
			if !open {
				return fmt.Errorf("the watch ended after %d of %d pods", created, n)
			}
			if event.Type == watch.Added {
				created++
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func createOwners(ctx context.Context, namespace string, n int, create func(ctx context.Context, namespace, name string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range n {
		group.Go(func() error { return create(ctx, namespace, fmt.Sprintf("owner-%d", i)) })
	}
	return group.Wait()
}

func (b *bench) watchPods(ctx context.Context, namespace string) (watch.Interface, error) {
	client := b.kube.CoreV1().Pods(namespace)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	})
}

// namespace creates a namespace, and returns its name and what removes it with all that is in it.
func (b *bench) namespace(ctx context.Context) (name string, remove func(), err error) {
	namespaces := b.kube.CoreV1().Namespaces()
	created, err := namespaces.Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", nil, err
	}
	return created.Name, func() {
		watcher, err := namespaces.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{
			Name: created.Name, ResourceVersion: created.ResourceVersion,
		}))
		if err != nil {
			return // the control plane is going away, and the namespace with it
		}
		defer watcher.Stop()
		if namespaces.Delete(ctx, created.Name, metav1.DeleteOptions{}) != nil {
			return
		}
		for event := range watcher.ResultChan() {
			if event.Type == watch.Deleted {
				return
			}
		}
	}, nil
}
