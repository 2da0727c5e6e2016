package minictl

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// DeploymentController keeps one ReplicaSet for each pod template of a Deployment, and moves replicas from the old ones
// to the new one. It never touches a pod. Compare k8s.io/kubernetes pkg/controller/deployment, whose order of steps it has.
type DeploymentController struct{ Controller }

// NewDeploymentController makes a controller that has yet to list.
func NewDeploymentController(store *Store, log *Log) *DeploymentController {
	c := &DeploymentController{}
	c.Controller = Controller{Name: "deployment-controller", Kind: DeploymentKind, store: store, log: log, reconcile: c.reconcile}
	c.start(ReplicaSetKind)
	return c
}

// A rollout is a Deployment and its ReplicaSets, as one pass has read and changed them.
type rollout struct {
	*appsv1.Deployment
	newSet *appsv1.ReplicaSet // nil before it is created
	old    []*appsv1.ReplicaSet
}

func (r *rollout) sets() []*appsv1.ReplicaSet {
	if r.newSet == nil {
		return r.old
	}
	return append(r.old[:len(r.old):len(r.old)], r.newSet)
}

func (c *DeploymentController) reconcile(key Key, _ int) (int, error) {
	d, err := get[*appsv1.Deployment](c.store, key)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	sets, err := claim(c.store, d, list[*appsv1.ReplicaSet](c.store, key.Namespace))
	if err != nil {
		return 0, err
	}
	r := &rollout{Deployment: d}
	r.newSet, r.old = splitByTemplate(d, sets)
	if err := c.markPaused(r); err != nil {
		return 0, err
	}
	if err := c.syncRevision(r); err != nil {
		return 0, err
	}
	switch {
	case d.Spec.Paused || isScaled(d, r.sets()):
		return 0, c.resize(r)
	case d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType:
		err = c.recreate(r)
	default:
		err = c.rollingUpdate(r)
	}
	if err != nil {
		return 0, err
	}
	now := c.store.clock.Now()
	before := d.Status
	d.Status = estimateProgress(r, summarize(r, now), now)
	if _, err := updateStatus(c.store, d); err != nil {
		return 0, err
	}
	return untilDeadline(d, before, now), nil
}

// resize spreads a new size over the ReplicaSets. The update itself waits.
func (c *DeploymentController) resize(r *rollout) error {
	if err := c.scale(r, decideResize(r.Deployment, r.newSet, r.old)); err != nil {
		return err
	}
	if r.Spec.Paused {
		if err := c.cleanUp(r); err != nil {
			return err
		}
	}
	r.Status = summarize(r, c.store.clock.Now())
	_, err := updateStatus(c.store, r.Deployment)
	return err
}

// rollingUpdate makes one move: the new ReplicaSet up, or else old ones down.
func (c *DeploymentController) rollingUpdate(r *rollout) error {
	if err := c.ensureNewSet(r); err != nil {
		return err
	}
	if to := decideScaleUp(r.Deployment, sizeOf(r.newSet), totalSize(r.old)); to != sizeOf(r.newSet) {
		return c.scale(r, []Scaling{{r.newSet, to}})
	}
	if scalings := decideScaleDown(r.Deployment, r.newSet, activeSets(r.old)); len(scalings) > 0 {
		return c.scale(r, scalings)
	}
	return c.cleanUpIfComplete(r)
}

// recreate scales all old ReplicaSets to zero, and the new one up only when the last old pod is gone.
func (c *DeploymentController) recreate(r *rollout) error {
	var down []Scaling
	for _, rs := range activeSets(r.old) {
		down = append(down, Scaling{rs, 0})
	}
	if len(down) > 0 {
		return c.scale(r, down)
	}
	if c.oldPodsRunning(r) {
		return nil
	}
	if err := c.ensureNewSet(r); err != nil {
		return err
	}
	if err := c.scale(r, []Scaling{{r.newSet, int(*r.Spec.Replicas)}}); err != nil {
		return err
	}
	return c.cleanUpIfComplete(r)
}

func (c *DeploymentController) oldPodsRunning(r *rollout) bool {
	for _, rs := range r.old {
		if rs.Status.Replicas > 0 {
			return true
		}
		for _, pod := range list[*corev1.Pod](c.store, r.Namespace) {
			if metav1.IsControlledBy(pod, rs) && isActive(pod) {
				return true
			}
		}
	}
	return false
}

// ensureNewSet creates the ReplicaSet of the present template, unless there is one, as large as there is room for.
func (c *DeploymentController) ensureNewSet(r *rollout) error {
	if r.newSet != nil {
		return nil
	}
	replicas := decideScaleUp(r.Deployment, 0, totalSize(r.old))
	created, err := create(c.store, replicaSetFor(r.Deployment, replicas, newRevision(nil, r.old)))
	if err != nil {
		return err
	}
	r.newSet = created
	if replicas > 0 {
		c.log.Recordf(c.Name, describe(r.Deployment), "ScalingReplicaSet", "Scaled up replica set %s from 0 to %d",
			created.Name, replicas)
	}
	if err := c.setRevision(r); err != nil {
		return err
	}
	return c.setProgressing(r, corev1.ConditionTrue, newReplicaSetReason, fmt.Sprintf("Created new replica set %q", created.Name))
}

func replicaSetFor(d *appsv1.Deployment, replicas, revision int) *appsv1.ReplicaSet {
	hash := templateHash(&d.Spec.Template)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:            d.Name + "-" + hash,
			Namespace:       d.Namespace,
			Annotations:     map[string]string{revisionAnnotation: strconv.Itoa(revision)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, DeploymentKind.GroupVersionKind)},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas:        ptr.To(int32(replicas)),
			MinReadySeconds: d.Spec.MinReadySeconds,
			Selector:        metav1.AddLabelToSelector(d.Spec.Selector.DeepCopy(), hashLabel, hash),
			Template:        *d.Spec.Template.DeepCopy(),
		},
	}
	metav1.SetMetaDataLabel(&rs.Spec.Template.ObjectMeta, hashLabel, hash)
	rs.Labels = rs.Spec.Template.Labels
	annotateSize(rs, d)
	return rs
}

// annotateSize notes which size of the Deployment a ReplicaSet was sized for.
func annotateSize(rs *appsv1.ReplicaSet, d *appsv1.Deployment) {
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta, desiredAnnotation, strconv.Itoa(int(*d.Spec.Replicas)))
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta, maxAnnotation, strconv.Itoa(boundsOf(d).MaxPods))
}

// replace puts what was written in place of what was read, so that the next write of the same pass has its version.
func replace[T any](read *T) func(written *T, err error) error {
	return func(written *T, err error) error {
		if err == nil {
			*read = *written
		}
		return err
	}
}

// scale carries scalings out.
func (c *DeploymentController) scale(r *rollout, scalings []Scaling) error {
	for _, scaling := range scalings {
		from := sizeOf(scaling.Set)
		scaling.Set.Spec.Replicas = ptr.To(int32(scaling.To))
		annotateSize(scaling.Set, r.Deployment)
		if err := replace(scaling.Set)(update(c.store, scaling.Set)); err != nil {
			return err
		}
		if from != scaling.To {
			direction := "up"
			if scaling.To < from {
				direction = "down"
			}
			c.log.Recordf(c.Name, describe(r.Deployment), "ScalingReplicaSet", "Scaled %s replica set %s from %d to %d",
				direction, scaling.Set.Name, from, scaling.To)
		}
	}
	return nil
}

// syncRevision renumbers the new ReplicaSet, if it is one that came back, and marks the Deployment with its revision.
func (c *DeploymentController) syncRevision(r *rollout) error {
	if r.newSet == nil {
		return nil
	}
	metav1.SetMetaDataAnnotation(&r.newSet.ObjectMeta, revisionAnnotation, strconv.Itoa(newRevision(r.newSet, r.old)))
	r.newSet.Spec.MinReadySeconds = r.Spec.MinReadySeconds
	if err := replace(r.newSet)(update(c.store, r.newSet)); err != nil {
		return err
	}
	if err := c.setRevision(r); err != nil {
		return err
	}
	if findCondition(r.Status, appsv1.DeploymentProgressing) != nil {
		return nil
	}
	return c.setProgressing(r, corev1.ConditionTrue, foundNewReplicaSetReason,
		fmt.Sprintf("Found new replica set %q", r.newSet.Name))
}

func (c *DeploymentController) setRevision(r *rollout) error {
	metav1.SetMetaDataAnnotation(&r.ObjectMeta, revisionAnnotation, r.newSet.Annotations[revisionAnnotation])
	return replace(r.Deployment)(update(c.store, r.Deployment))
}

// setProgressing writes the Progressing condition at once, so that the deadline counts from now.
func (c *DeploymentController) setProgressing(r *rollout, status corev1.ConditionStatus, reason, message string) error {
	setCondition(&r.Status, newCondition(appsv1.DeploymentProgressing, status, reason, message, c.store.clock.Now()))
	return replace(r.Deployment)(updateStatus(c.store, r.Deployment))
}

// markPaused suspends the progress deadline of a Deployment that is paused, and starts it anew when it is resumed.
func (c *DeploymentController) markPaused(r *rollout) error {
	progressing := findCondition(r.Status, appsv1.DeploymentProgressing)
	marked := progressing != nil && progressing.Reason == pausedReason
	switch {
	case progressing != nil && progressing.Reason == timedOutReason:
		// It is late, paused or not.
	case r.Spec.Paused && !marked:
		return c.setProgressing(r, corev1.ConditionUnknown, pausedReason, "Deployment is paused")
	case !r.Spec.Paused && marked:
		return c.setProgressing(r, corev1.ConditionUnknown, resumedReason, "Deployment is resumed")
	}
	return nil
}

func (c *DeploymentController) cleanUpIfComplete(r *rollout) error {
	if !isComplete(r.Deployment, r.Status) {
		return nil
	}
	return c.cleanUp(r)
}

func (c *DeploymentController) cleanUp(r *rollout) error {
	for _, rs := range beyondHistory(r.old, int(*r.Spec.RevisionHistoryLimit)) {
		if err := c.store.Delete(ReplicaSetKind, keyOf(rs)); err != nil {
			return err
		}
	}
	return nil
}
