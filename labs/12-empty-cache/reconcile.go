package emptycache

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// deeds are what a reconcile has done.
type deeds struct {
	created, refused, deleted int
	waited                    bool // it did nothing, because the cache does not show yet what was written before
}

// reconcile creates or deletes the difference between what is wanted and what is there. Both it reads from the caches.
func (c *controller) reconcile(ctx context.Context, key cache.ObjectName) (deeds, error) {
	if !c.ready() {
		return deeds{waited: true}, nil
	}
	have, err := c.podsOf(key.Name)
	if err != nil {
		return deeds{}, err
	}
	fleet, err := c.fleets.Get(key.Name)
	switch {
	case apierrors.IsNotFound(err):
		// Here it concludes, from what it has not seen, that the Fleet was deleted and its pods are to follow.
		return c.delete(ctx, have)
	case err != nil:
		return deeds{}, err
	}
	if wanted := int(*fleet.Spec.Replicas); len(have) > wanted {
		return c.delete(ctx, have[wanted:])
	}
	return c.create(ctx, fleet, c.name(fleet, have))
}

// podsOf are the pods whose owner reference names the Fleet, those to be kept first.
func (c *controller) podsOf(fleet string) ([]*corev1.Pod, error) {
	have, err := c.pods.List(labels.Everything())
	have = slices.DeleteFunc(have, func(pod *corev1.Pod) bool { return !owns(fleet, pod) })
	slices.SortFunc(have, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return have, err
}

// delete deletes pods, and no others that may go by their names by now.
func (c *controller) delete(ctx context.Context, surplus []*corev1.Pod) (deeds, error) {
	var done deeds
	for _, pod := range surplus {
		err := c.client.Delete(ctx, pod.Name, *metav1.NewPreconditionDeleteOptions(string(pod.UID)))
		switch {
		case err == nil:
			done.deleted++
		case !apierrors.IsNotFound(err) && !apierrors.IsConflict(err):
			return done, err
		}
	}
	return done, nil
}

// create creates pods by these names. A pod that exists already is one that the cache does not show.
func (c *controller) create(ctx context.Context, fleet *v1alpha1.Fleet, names []metav1.ObjectMeta) (deeds, error) {
	var done deeds
	for _, name := range names {
		c.expectations.expect()
		created, err := c.client.Create(ctx, podOf(fleet, name), metav1.CreateOptions{})
		switch {
		case err == nil:
			done.created++
			c.ownWrites.wrote(created)
			continue
		case apierrors.IsAlreadyExists(err):
			done.refused++
		default:
			return done, err
		}
		c.expectations.seen() // nothing comes of a create that was refused
	}
	return done, nil
}
