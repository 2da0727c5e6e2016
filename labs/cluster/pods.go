package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

const versionLabel = "version"

// Act does something to pods of [Namespace].
type Act func(context.Context, typedv1.PodInterface) error

// Do does one thing after the other, past the proxy. It returns when a watch cache knows of all of it.
func (c *Cluster) Do(ctx context.Context, acts ...Act) error {
	for _, act := range acts {
		if err := act(ctx, c.Kube.CoreV1().Pods(Namespace)); err != nil {
			return err
		}
	}
	_, err := c.Latest(ctx)
	return err
}

// Latest is the version of the pods as they are. To tell it, the API server has its watch cache catch up with etcd first.
func (c *Cluster) Latest(ctx context.Context) (string, error) {
	list, err := c.Kube.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	return list.ResourceVersion, nil
}

// Create creates pods whose label version says v1. Nothing runs them.
func Create(names ...string) Act {
	return func(ctx context.Context, pods typedv1.PodInterface) error {
		for _, name := range names {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{versionLabel: "v1"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "web:v1"}}},
			}
			if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Label gives a pod another label version.
func Label(name, version string) Act {
	return func(ctx context.Context, pods typedv1.PodInterface) error {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, versionLabel, version)
		_, err := pods.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

// Delete deletes a pod. Since it was never bound to a node there is nobody to wait for: it is marked as deleted, and gone.
func Delete(name string) Act {
	return func(ctx context.Context, pods typedv1.PodInterface) error {
		return pods.Delete(ctx, name, metav1.DeleteOptions{})
	}
}

// Replace deletes a pod and creates another of its name.
func Replace(name string) Act {
	return func(ctx context.Context, pods typedv1.PodInterface) error {
		if err := Delete(name)(ctx, pods); err != nil {
			return err
		}
		return Create(name)(ctx, pods)
	}
}
