package drill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	polling "k8s.io/apimachinery/pkg/util/wait"
)

// vacate removes what a run has left, which an operator that works in all namespaces would go on with in the next one. It is
// there until then, for what its finalizers wait for; if they wait in vain they are struck out. The namespace itself ends later.
func (l *lane) vacate(ctx context.Context) error {
	err := l.arena.kube.CoreV1().Namespaces().Delete(ctx, l.namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	empty := func(ctx context.Context) (bool, error) {
		objects, err := l.arena.observer.read(ctx, l.namespace)
		return !slices.ContainsFunc(slices.Collect(maps.Values(objects)), func(list []any) bool { return len(list) > 0 }), err
	}
	for _, within := range []time.Duration{10 * time.Second, time.Minute} {
		err := polling.PollUntilContextTimeout(ctx, 50*time.Millisecond, within, true, empty)
		if err == nil || !polling.Interrupted(err) || ctx.Err() != nil {
			return err
		}
		if err := l.arena.observer.release(ctx, l.namespace); err != nil {
			return err
		}
	}
	return fmt.Errorf("namespace %s is not empty a minute after its deletion", l.namespace)
}

// release strikes out the finalizers of all objects of a namespace.
func (o *observer) release(ctx context.Context, namespace string) error {
	for _, of := range o.resources {
		client := o.client.Resource(of.resource).Namespace(namespace)
		list, err := client.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, object := range list.Items {
			none := []byte(`{"metadata":{"finalizers":null}}`)
			_, err := client.Patch(ctx, object.GetName(), types.MergePatchType, none, metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}
