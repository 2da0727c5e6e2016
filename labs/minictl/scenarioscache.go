package minictl

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func playOverCreate(r *Run) {
	r.cachedReplicaSet()
	r.grow(2)
	r.note("pods", r.sample().Total())
}

func playExpectations(r *Run) {
	r.cachedReplicaSet()
	r.ReplicaSets.Expectations = NewExpectations(10)
	r.grow(2)

	// The news of the next creations never comes, so the controller does not get to what it is asked for after that
	// before it gives up waiting.
	pods := r.ReplicaSets.informers[PodKind]
	pods.Drop = true
	r.Log.Record("informer", "pods", "Dropped", "the handler loses all news of pods from now on")
	r.try(r.Kubectl.Scale(ReplicaSetKind, "web", r.Replicas+3))
	r.wait(1)
	from := r.Clock.Tick()
	r.try(r.Kubectl.Scale(ReplicaSetKind, "web", r.Replicas+4))
	r.until("the end of the wait", func() bool { return r.sample().Total() == int(r.Replicas)+4 })
	r.note("ticks_waited_for_lost_news", r.since(from))
	pods.Drop = false
	r.untilReady(int(r.Replicas) + 4)
	r.note("wanted_at_the_end", r.Replicas+4)
	r.note("pods", r.sample().Total())
}

// cachedReplicaSet makes a ReplicaSet, whose controller then reads from a cache that is a tick late.
func (r *Run) cachedReplicaSet() {
	r.try(r.Kubectl.Create(r.replicaSet("web")))
	r.untilReady(int(r.Replicas))
	r.wait(1)
	r.ReplicaSets.CachedReads = true
	r.ReplicaSets.informers[PodKind].Lag = 1
}

// grow asks for more pods, and notes how many there were at most until things were quiet.
func (r *Run) grow(by int32) {
	from := r.Clock.Tick()
	r.try(r.Kubectl.Scale(ReplicaSetKind, "web", r.Replicas+by))
	r.wait(5)
	r.untilReady(int(r.Replicas + by))
	r.wait(5)
	r.note("wanted", r.Replicas+by)
	r.note("max_pods", r.maxPods(from))
}

func (r *Run) replicaSet(app string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: namespace},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(r.Replicas),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
			Template: podTemplate(app, app+":1.0"),
		},
	}
}
