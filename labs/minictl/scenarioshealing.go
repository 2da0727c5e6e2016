package minictl

import "k8s.io/apimachinery/pkg/util/sets"

func playSelfHeal(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	r.heal("deletion", func() { r.try(r.Kubectl.Delete(PodKind, r.aPod(), false)) })
	r.heal("eviction", r.evictAPod)
	r.note("pods", r.sample().Total())
	r.note("ready", r.sample().Ready())
}

// heal takes a pod away, and notes how long it is missed.
func (r *Run) heal(how string, take func()) {
	from := r.Clock.Tick()
	take()
	r.untilReady(int(r.Replicas))
	r.note("ticks_until_ready_after_"+how, r.since(from))
}

func playResync(r *Run) {
	for _, informer := range r.ReplicaSets.informers {
		informer.Resync = 10
	}
	r.deploy("web", "web:1.0", asIs)
	pods := r.ReplicaSets.informers[PodKind]
	pods.Drop = true
	from := r.Clock.Tick()
	r.try(r.Kubectl.Delete(PodKind, r.aPod(), false))
	r.wait(1)
	pods.Drop = false
	r.Log.Record("informer", "pods", "Dropped", "the handler lost the news of the deletion")
	r.until("the resync", func() bool { return r.sample().Total() == int(r.Replicas) })
	r.note("ticks_until_replaced", r.since(from))
	r.untilReady(int(r.Replicas))
	r.note("pods", r.sample().Total())
}

func playRelist(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	pods := r.ReplicaSets.informers[PodKind]
	pods.Disconnected = true
	r.Log.Record("informer", "pods", "Disconnected", "the watch of replicaset-controller broke off")
	r.try(r.Kubectl.Delete(PodKind, r.aPod(), false))
	r.wait(3)
	r.note("pods_while_disconnected", r.sample().Total())
	r.Store.Compact()
	r.Log.Record("etcd", "pods", "Compacted", "the history is gone")
	pods.Disconnected = false
	before := sets.New(r.names()...)
	r.untilReady(int(r.Replicas))
	r.note("replacements", sets.New(r.names()...).Difference(before).Len())
	r.note("pods", r.sample().Total())
}

func (r *Run) names() []string {
	var names []string
	for _, pod := range r.pods() {
		names = append(names, pod.Name)
	}
	return names
}
