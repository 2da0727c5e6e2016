package minictl

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fingerprint stands for all states that no later step can tell apart.
type fingerprint [sha256.Size]byte

func fingerprintOf(c *Cluster) fingerprint { return sha256.Sum256([]byte(describeState(c))) }

// branch copies a cluster, so that a step can be taken in the copy. What is in the store or in a cache is never changed
// in place, so both share the objects. The informers have heard everything, so no history is needed.
func branch(c *Cluster) *Cluster {
	b := NewCluster(1, c.Kubelet.ReadyAfter)
	b.Clock.tick = c.Clock.tick
	b.Store.revision, b.Store.compacted = c.Store.revision, c.Store.revision
	for kind, objects := range c.Store.objects {
		b.Store.objects[kind] = maps.Clone(objects)
	}
	copies := controllersOf(b)
	for i, from := range controllersOf(c) {
		copies[i].Queue.due, copies[i].Queue.failures = maps.Clone(from.Queue.due), maps.Clone(from.Queue.failures)
		for kind, informer := range from.informers {
			copies[i].informers[kind].version, copies[i].informers[kind].cache = informer.version, maps.Clone(informer.cache)
		}
	}
	return b
}

func controllersOf(c *Cluster) []*Controller {
	return []*Controller{&c.Deployments.Controller, &c.ReplicaSets.Controller}
}

// hearAll lets the controllers hear what happened. They read from the store, so hearing decides only what is queued; for
// how long a key then waits is up to the search.
func hearAll(c *Cluster) {
	for _, controller := range controllersOf(c) {
		for _, kind := range kinds {
			if informer, ok := controller.informers[kind]; ok {
				informer.Poll(c.Clock.tick)
			}
		}
	}
}

// stored are the objects of a type as they are in the store, uncopied: they are only to be looked at.
func stored[T Object](c *Cluster) []T {
	var none T
	objects := c.Store.objects[kindOf(none)]
	var all []T
	for _, key := range sortedKeys(objects) {
		all = append(all, objects[key].(T))
	}
	return all
}

// describeState writes down all that later steps depend on. Versions, uids and the names of pods are left out, and times
// are ages, of which those that no longer make a difference are equal.
func describeState(c *Cluster) string {
	var text strings.Builder
	d := theDeployment(c)
	fmt.Fprintf(&text, "Deployment %s x%d r%s behind by %d: %d pods, %d new, %d ready, %d available, %d unavailable",
		imageOf(d.Spec.Template), *d.Spec.Replicas, d.Annotations[revisionAnnotation], d.Generation-d.Status.ObservedGeneration,
		d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas,
		d.Status.UnavailableReplicas)
	for _, condition := range d.Status.Conditions {
		fmt.Fprintf(&text, ", %s=%s %s", condition.Type, condition.Status, condition.Reason)
	}
	for _, rs := range byCreation(stored[*appsv1.ReplicaSet](c)) {
		s := rs.Status
		fmt.Fprintf(&text, "\nReplicaSet %s x%d r%s behind by %d: %d pods, %d ready, %d available; age %d, sized for %s to %s",
			imageOf(rs.Spec.Template), *rs.Spec.Replicas, rs.Annotations[revisionAnnotation], rs.Generation-s.ObservedGeneration,
			s.Replicas, s.ReadyReplicas, s.AvailableReplicas,
			age(c, rs.CreationTimestamp.Time, 1), rs.Annotations[desiredAnnotation], rs.Annotations[maxAnnotation])
	}
	for _, class := range podClasses(c) {
		fmt.Fprintf(&text, "\n%d of %s", len(class.pods), class.text)
	}
	for _, controller := range controllersOf(c) {
		fmt.Fprintf(&text, "\n%s:", controller.Name)
		for _, key := range sortedKeys(controller.Queue.due) {
			if wait := controller.Queue.due[key] - c.Clock.tick; wait <= maxDelay { // the rest is a deadline that never comes
				fmt.Fprintf(&text, " %s in %d after %d failures", key.Name, max(0, wait), controller.Queue.failures[key])
			}
		}
	}
	return text.String()
}

// podClass are pods that differ in nothing but their names.
type podClass struct {
	text string
	pods []*corev1.Pod
}

func podClasses(c *Cluster) []podClass {
	minReady := int(theDeployment(c).Spec.MinReadySeconds)
	classes := map[string][]*corev1.Pod{}
	for _, pod := range stored[*corev1.Pod](c) {
		owner := "nobody"
		if ref := metav1.GetControllerOf(pod); ref != nil {
			rs, err := get[*appsv1.ReplicaSet](c.Store, Key{Namespace: namespace, Name: ref.Name})
			owner = ref.Name
			if err != nil || rs.UID != ref.UID {
				owner = "one that is gone"
			}
		}
		text := fmt.Sprintf("Pod %s app=%s of %s: %s on %q, age %d, ready %t for %d", imageOf(corev1.PodTemplateSpec{Spec: pod.Spec}),
			pod.Labels["app"], owner, pod.Status.Phase, pod.Spec.NodeName,
			age(c, pod.CreationTimestamp.Time, max(1, c.Kubelet.ReadyAfter)), isReady(pod), age(c, readySince(pod), minReady))
		classes[text] = append(classes[text], pod)
	}
	var sorted []podClass
	for _, text := range slices.Sorted(maps.Keys(classes)) {
		sorted = append(sorted, podClass{text, classes[text]})
	}
	return sorted
}

// age is how many ticks ago something was, up to as many as matter.
func age(c *Cluster, since time.Time, most int) int {
	return int(min(c.Clock.Now().Sub(since), seconds(most)) / time.Second)
}

func imageOf(template corev1.PodTemplateSpec) string { return template.Spec.Containers[0].Image }
