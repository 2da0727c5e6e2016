package unseendelete

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/labs/cluster"
)

// witness is two more handlers of an informer, which hear of its deletions in the two ways there are.
type witness struct {
	untyped chan deletion
	typed   typedHandler
}

// deletion is what an OnDelete was given, and the pods that the lister had meanwhile.
type deletion struct {
	object any
	listed []string
}

// key is that of the object that was deleted.
func (d deletion) key() string {
	key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(d.object) // pods and tombstones have one
	return key
}

// typedHandler is of client-go's typed kind, which has no assertion to get wrong.
type typedHandler chan typedDeletion

type typedDeletion = cache.DeletedObject[*corev1.Pod]

func (typedHandler) OnAdd(*corev1.Pod, bool)          {}
func (typedHandler) OnUpdate(_, _ *corev1.Pod)        {}
func (h typedHandler) OnDelete(deleted typedDeletion) { h <- deleted }

// deletions is how many the experiment has at most, so that no handler waits.
const deletions = 10

func newWitness(informer *cluster.Informer) (witness, error) {
	w := witness{make(chan deletion, deletions), make(typedHandler, deletions)}
	lister := corelisters.NewPodLister(informer.GetIndexer())
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
		d := deletion{object: object}
		pods, _ := lister.List(labels.Everything()) // from memory, which does not fail
		for _, pod := range pods {
			d.listed = append(d.listed, pod.Name)
		}
		w.untyped <- d
	}})
	if err != nil {
		return w, err
	}
	_, err = cache.NewTypedSharedIndexInformer[*corev1.Pod](informer).AddTypedEventHandler(w.typed)
	return w, err
}

// patience is how long it may take until a handler is told what another has been told.
const patience = 30 * time.Second

// deletionOf is what the two were told of a pod.
func (w witness) deletionOf(ctx context.Context, pod string) (deletion, typedDeletion, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no deletion of %s was told within %s", pod, patience))
	defer cancel()
	key := cluster.Namespace + "/" + pod
	d, err := find(ctx, w.untyped, func(d deletion) bool { return d.key() == key })
	if err != nil {
		return deletion{}, typedDeletion{}, err
	}
	typed, err := find(ctx, w.typed, func(d typedDeletion) bool { return d.GetKey() == key })
	return d, typed, err
}

// find is the next that is wanted.
func find[T any](ctx context.Context, from <-chan T, wanted func(T) bool) (T, error) {
	for {
		select {
		case it := <-from:
			if wanted(it) {
				return it, nil
			}
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
}
