package minictl

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// ReplicaSetController keeps as many pods as each ReplicaSet asks for. Compare k8s.io/kubernetes pkg/controller/replicaset.
type ReplicaSetController struct {
	Controller
	// CachedReads makes it read from its informers instead of from the store.
	CachedReads bool
	// Expectations, if set, make it wait until its cache shows what it did.
	Expectations *Expectations
}

// NewReplicaSetController makes a controller that has yet to list.
func NewReplicaSetController(store *Store, log *Log) *ReplicaSetController {
	c := &ReplicaSetController{}
	c.Controller = Controller{
		Name: "replicaset-controller", Kind: ReplicaSetKind, store: store, log: log, reconcile: c.reconcile, observe: c.observe,
	}
	c.start(PodKind)
	return c
}

func (c *ReplicaSetController) reconcile(key Key, now int) (int, error) {
	rs, err := get[*appsv1.ReplicaSet](c.reader(), key)
	if apierrors.IsNotFound(err) {
		c.Expectations.Forget(key)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	pods := list[*corev1.Pod](c.reader(), key.Namespace)
	active, err := claim(c.store, rs, slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !isActive(pod) }))
	if err != nil {
		return 0, err
	}
	creations, deletions, wait := c.Expectations.Outstanding(key, now)
	if wait > 0 {
		c.log.Recordf(c.Name, describe(rs), "Waiting", "for news of %d creation(s) and %d deletion(s), %d more tick(s) at most",
			creations, deletions, wait)
	} else if err := c.manage(rs, active, now); err != nil {
		return 0, err
	}
	time := c.store.clock.Now().Time
	rs.Status = replicaSetStatus(rs, active, time)
	if _, err := updateStatus(c.store, rs); err != nil {
		return 0, err
	}
	return soonest(wait, untilAvailable(active, rs.Spec.MinReadySeconds, time)), nil
}

func (c *ReplicaSetController) reader() Reader {
	if c.CachedReads {
		return c.informers
	}
	return c.store
}

// manage creates the pods that are missing, or deletes those that are too many.
func (c *ReplicaSetController) manage(rs *appsv1.ReplicaSet, active []*corev1.Pod, now int) error {
	missing, surplus := decidePods(active, int(*rs.Spec.Replicas))
	c.Expectations.Expect(keyOf(rs), missing, uidsOf(surplus), now)
	for range missing {
		pod, err := create(c.store, podFromTemplate(rs))
		if err != nil {
			c.Expectations.Forget(keyOf(rs)) // the next pass counts again
			return err
		}
		c.log.Record(c.Name, describe(rs), "SuccessfulCreate", "Created pod: "+pod.Name)
	}
	for _, pod := range surplus {
		err := c.store.Delete(PodKind, keyOf(pod))
		if err == nil {
			c.log.Record(c.Name, describe(rs), "SuccessfulDelete", "Deleted pod: "+pod.Name)
			continue
		}
		c.Expectations.DeletionObserved(keyOf(rs), pod.UID) // nothing will be heard of it
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// observe meets expectations.
func (c *ReplicaSetController) observe(event Event) {
	pod, ok := event.Object.(*corev1.Pod)
	if !ok {
		return
	}
	for _, key := range c.ownersOf(pod) {
		switch event.Type {
		case watch.Added:
			c.Expectations.CreationObserved(key)
		case watch.Deleted:
			c.Expectations.DeletionObserved(key, pod.UID)
		}
	}
}

// decidePods compares the pods there are with how many there should be.
func decidePods(active []*corev1.Pod, wanted int) (missing int, surplus []*corev1.Pod) {
	if len(active) <= wanted {
		return wanted - len(active), nil
	}
	return 0, byDeletionRank(active)[:len(active)-wanted]
}

// byDeletionRank orders pods so that the one whose loss matters least comes first: unscheduled, then pending, then not
// ready, then ready for the shortest time, then newest. As ActivePodsWithRanks in k8s.io/kubernetes
// pkg/controller/controller_utils.go, without what only a cluster of several nodes has.
func byDeletionRank(pods []*corev1.Pod) []*corev1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *corev1.Pod) int {
		return cmp.Or(
			falseFirst(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			falseFirst(a.Status.Phase == corev1.PodRunning, b.Status.Phase == corev1.PodRunning),
			falseFirst(isReady(a), isReady(b)),
			readySince(b).Compare(readySince(a)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
			cmp.Compare(a.Name, b.Name),
		)
	})
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func podFromTemplate(rs *appsv1.ReplicaSet) *corev1.Pod {
	template := rs.Spec.Template.DeepCopy()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    rs.Name + "-",
			Namespace:       rs.Namespace,
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(rs, ReplicaSetKind.GroupVersionKind)},
		},
		Spec: template.Spec,
	}
}

func replicaSetStatus(rs *appsv1.ReplicaSet, active []*corev1.Pod, now time.Time) appsv1.ReplicaSetStatus {
	status := appsv1.ReplicaSetStatus{ObservedGeneration: rs.Generation, Replicas: int32(len(active))}
	for _, pod := range active {
		if isReady(pod) {
			status.ReadyReplicas++
		}
		if isAvailable(pod, rs.Spec.MinReadySeconds, now) {
			status.AvailableReplicas++
		}
	}
	return status
}

// untilAvailable is in how many ticks the next of the ready pods becomes available; 0 if none is going to. Time alone
// makes it available: no event tells of that.
func untilAvailable(pods []*corev1.Pod, minReadySeconds int32, now time.Time) int {
	next := 0
	for _, pod := range pods {
		if isReady(pod) && !isAvailable(pod, minReadySeconds, now) {
			next = soonest(next, int(readySince(pod).Add(seconds(minReadySeconds)).Sub(now)/time.Second))
		}
	}
	return next
}

// soonest is the smaller of two numbers of ticks, of which 0 means never.
func soonest(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func uidsOf(pods []*corev1.Pod) []types.UID {
	var uids []types.UID
	for _, pod := range pods {
		uids = append(uids, pod.UID)
	}
	return uids
}
