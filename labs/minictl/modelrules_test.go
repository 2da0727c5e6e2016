package minictl

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// theDeployment is the only one in a model.
func theDeployment(c *Cluster) *appsv1.Deployment {
	return stored[*appsv1.Deployment](c)[0]
}

// setsOf are the ReplicaSets that the Deployment controls.
func setsOf(c *Cluster) []*appsv1.ReplicaSet {
	var sets []*appsv1.ReplicaSet
	for _, rs := range stored[*appsv1.ReplicaSet](c) {
		if metav1.IsControlledBy(rs, theDeployment(c)) {
			sets = append(sets, rs)
		}
	}
	return sets
}

// podsOf are the pods that a ReplicaSet controls and keeps. One that a user has relabelled is lost to it, though it has
// not been released yet.
func podsOf(c *Cluster, rs *appsv1.ReplicaSet) []*corev1.Pod {
	var pods []*corev1.Pod
	selector := selectorOf(rs)
	for _, pod := range stored[*corev1.Pod](c) {
		if decideTenure(rs.UID, selector, pod) == keep && isActive(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// statusOf is what the status of a ReplicaSet would be if it were up to date.
func statusOf(c *Cluster, rs *appsv1.ReplicaSet) appsv1.ReplicaSetStatus {
	return replicaSetStatus(rs, podsOf(c, rs), c.Clock.Now().Time)
}

// brokenRule says which rule a step breaks, or the state it leads to; empty if none.
func brokenRule(before, after *Cluster) string {
	d, sets := theDeployment(after), setsOf(after)
	if d.Status.ObservedGeneration > d.Generation {
		return "the Deployment was observed at a generation that is yet to come"
	}
	templates, revisions, serving := map[string]bool{}, map[int]bool{}, 0
	for _, rs := range sets {
		image, was, is := imageOf(rs.Spec.Template), len(podsOf(before, rs)), len(podsOf(after, rs))
		switch {
		case templates[image]:
			return "two ReplicaSets have the template of " + image
		case revisions[revisionOf(rs)]:
			return fmt.Sprintf("two ReplicaSets have revision %d", revisionOf(rs))
		case rs.Status.ObservedGeneration > rs.Generation:
			return rs.Name + " was observed at a generation that is yet to come"
		case is > was && is > sizeOf(rs):
			return fmt.Sprintf("%s went from %d to %d pods and is of %d", rs.Name, was, is, sizeOf(rs))
		}
		templates[image], revisions[revisionOf(rs)] = true, true
		if is > 0 {
			serving++
		}
	}
	if was, is, most := totalSize(setsOf(before)), totalSize(sets), boundsOf(d).MaxPods; is > was && is > most {
		return fmt.Sprintf("the ReplicaSets went from %d to %d replicas in all, and at most %d may be", was, is, most)
	}
	if serving > 1 && d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return fmt.Sprintf("there are pods of %d templates", serving)
	}
	for _, pod := range stored[*corev1.Pod](after) {
		if n := controllersNamedBy(pod); n > 1 {
			return fmt.Sprintf("%s has %d controllers", pod.Name, n)
		}
	}
	return ""
}

func controllersNamedBy(pod *corev1.Pod) int {
	n := 0
	for _, ref := range pod.OwnerReferences {
		if ref.Controller != nil && *ref.Controller {
			n++
		}
	}
	return n
}

// hasEnough reports whether as many pods are available as an update must leave.
func hasEnough(c *Cluster) bool {
	if theDeployment(c).Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return true
	}
	available := 0
	for _, rs := range setsOf(c) {
		available += int(statusOf(c, rs).AvailableReplicas)
	}
	return available >= boundsOf(theDeployment(c)).MinAvailable
}

// isTruthful reports whether no status counts as available a pod that is gone, or that its ReplicaSet is about to
// delete. What the Deployment controller promises, it promises of the statuses.
func isTruthful(c *Cluster) bool {
	for _, rs := range setsOf(c) {
		if rs.Status.AvailableReplicas > min(statusOf(c, rs).AvailableReplicas, *rs.Spec.Replicas) {
			return false
		}
	}
	return true
}

// unfinished says what is not as wished in a state in which nothing happens any more; empty if all is.
func unfinished(c *Cluster) string {
	d := theDeployment(c)
	want := *d.Spec.Replicas
	summary := appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Conditions: d.Status.Conditions}
	for _, rs := range setsOf(c) {
		status, isNew := statusOf(c, rs), sameTemplate(&rs.Spec.Template, &d.Spec.Template)
		switch {
		case !equality.Semantic.DeepEqual(rs.Status, status):
			return fmt.Sprintf("the status of %s is %+v, and should be %+v", rs.Name, rs.Status, status)
		case status.Replicas != *rs.Spec.Replicas:
			return fmt.Sprintf("%s has %d pods of %d", rs.Name, status.Replicas, *rs.Spec.Replicas)
		case !isNew && *rs.Spec.Replicas != 0 && !isBroken(d):
			return fmt.Sprintf("%s is old and still has %d replicas", rs.Name, *rs.Spec.Replicas)
		case isNew:
			summary.UpdatedReplicas = status.Replicas
		}
		summary.Replicas += status.Replicas
		summary.ReadyReplicas += status.ReadyReplicas
		summary.AvailableReplicas += status.AvailableReplicas
		summary.UnavailableReplicas += *rs.Spec.Replicas - status.AvailableReplicas
	}
	switch {
	case !equality.Semantic.DeepEqual(d.Status, summary):
		return fmt.Sprintf("the Deployment's status is %+v, and should be %+v", d.Status, summary)
	case !isBroken(d) && (summary.UpdatedReplicas != want || summary.AvailableReplicas != want):
		return fmt.Sprintf("%d pods are new and %d available of %d", summary.UpdatedReplicas, summary.AvailableReplicas, want)
	}
	return ""
}

func isBroken(d *appsv1.Deployment) bool { return imageOf(d.Spec.Template) == "web:broken" }
