package controller

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/slowstart"
)

// burst is the largest number of pods that one reconcile creates or deletes. As BurstReplicas in k8s.io/kubernetes
// pkg/controller/replicaset.
const burst = 500

// scaling is what came of creating and deleting pods.
type scaling struct {
	created, deleted             int
	createFailure, deleteFailure error
}

func (s scaling) err() error { return errors.Join(s.createFailure, s.deleteFailure) }

// scale creates and deletes pods as planned.
func (c *Controller) scale(ctx context.Context, f *v1alpha1.Fleet, plan fleet.Plan) scaling {
	var done scaling
	for _, creation := range plan.Create {
		created, err := c.createPods(ctx, f, creation)
		done.created += created
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			break // nothing can be created there any more, and nothing needs to be
		}
		if err != nil {
			done.createFailure = err
			break
		}
	}
	deletions := plan.Delete[:min(len(plan.Delete), burst)]
	done.deleted, done.deleteFailure = slowstart.Together(len(deletions), func(i int) error { return c.deletePod(ctx, f, deletions[i]) })
	return done
}

func (c *Controller) createPods(ctx context.Context, f *v1alpha1.Fleet, creation fleet.Creation) (int, error) {
	pod, err := fleet.NewPod(f, creation.Revision)
	if err != nil {
		return 0, err
	}
	return slowstart.Create(min(creation.Count, burst), func() error {
		return c.createPod(ctx, f, pod.DeepCopy()) // encoding an object writes to it
	})
}

func (c *Controller) createPod(ctx context.Context, f *v1alpha1.Fleet, pod *corev1.Pod) error {
	key := cache.MetaObjectToName(f)
	created, err := c.kube.CoreV1().Pods(f.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		if fleet.Unanswered(err) {
			c.expectations.doubt(key, c.now())
		}
		return fleet.CreateFailure(pod.GenerateName, err)
	}
	c.expectations.expectCreated(key, created.UID, c.now())
	c.fulfilFromCache(created)
	klog.FromContext(ctx).V(2).Info("created pod", "pod", klog.KObj(created))
	return nil
}

func (c *Controller) deletePod(ctx context.Context, f *v1alpha1.Fleet, deletion fleet.Deletion) error {
	pod, key := deletion.Pod, cache.MetaObjectToName(f)
	c.expectations.expectDeleted(key, pod.UID, c.now())
	err := c.kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, onlyThis(pod))
	switch {
	case err == nil:
		klog.FromContext(ctx).V(2).Info("deleted pod", "pod", klog.KObj(pod), "why", deletion.Why)
		return nil
	case apierrors.IsNotFound(err) || apierrors.IsConflict(err):
		c.expectations.deleted(pod.UID) // it is gone, and at most another of its name is there
		return nil
	case fleet.Unanswered(err):
		c.expectations.doubt(key, c.now())
	default:
		c.expectations.deleted(pod.UID)
	}
	return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
}

// fulfilFromCache fulfils the expectation of a pod whose event came before the answer to its creation, and reports whether
// it did.
func (c *Controller) fulfilFromCache(pod *corev1.Pod) bool {
	_, shown, _ := c.pods.Get(pod)
	if shown {
		c.expectations.created(pod.UID)
	}
	return shown
}

// settleDoubt reads from the API server what became of writes that it did not answer, and has the pods that it holds, and
// that the cache does not show yet, waited for.
func (c *Controller) settleDoubt(ctx context.Context, f *v1alpha1.Fleet) error {
	held, err := c.readPods(ctx, f)
	if err != nil {
		return err
	}
	c.expectations.settleDoubt(cache.MetaObjectToName(f), held)
	late := sets.New[types.UID]()
	for uid, pod := range held {
		if !c.fulfilFromCache(pod) {
			late.Insert(uid)
		}
	}
	if len(late) == 0 {
		return nil
	}
	// One that has come and gone since it was read is late for ever.
	still, err := c.readPods(ctx, f)
	if err != nil {
		return err
	}
	for uid := range late {
		if still[uid] == nil {
			c.expectations.created(uid)
		}
	}
	return nil
}

// readPods reads from the API server the pods of a Fleet that are not on their way out.
func (c *Controller) readPods(ctx context.Context, f *v1alpha1.Fleet) (map[types.UID]*corev1.Pod, error) {
	list, err := c.kube.CoreV1().Pods(f.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: metav1.FormatLabelSelector(f.Spec.Selector),
	})
	if err != nil {
		return nil, fmt.Errorf("finding out what became of unanswered writes: %w", err)
	}
	pods := map[types.UID]*corev1.Pod{}
	for i := range list.Items {
		if pod := &list.Items[i]; metav1.IsControlledBy(pod, f) && pod.DeletionTimestamp == nil {
			pods[pod.UID] = pod
		}
	}
	return pods, nil
}
