package minictl

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func playConflict(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	r.note("stale_write", r.staleWrite())
	r.wait(3)

	// Somebody annotates the ReplicaSet after its controller has read it, and before it writes its status.
	r.Store.rival = func(sent Object) bool {
		rs, ok := sent.(*appsv1.ReplicaSet)
		if ok {
			r.try(r.annotate(rs.Name))
		}
		return ok
	}
	r.try(r.Kubectl.Delete(PodKind, r.aPod(), false))
	r.untilReady(int(r.Replicas) + 1)
	r.note("conflicts", r.ReplicaSets.Stats.Conflicts)
	r.note("pods", r.sample().Total())
}

// staleWrite saves a Deployment, which someone else then scales, and writes the saved one back with a change. Unrefused,
// that would undo the scaling unnoticed. The cure is to read again, make the same change, and write again.
func (r *Run) staleWrite() string {
	web := Key{Namespace: namespace, Name: "web"}
	saved, err := get[*appsv1.Deployment](r.Store, web)
	r.try(err)
	r.try(r.Kubectl.Scale(DeploymentKind, "web", r.Replicas+1))
	fresh, err := get[*appsv1.Deployment](r.Store, web)
	r.try(err)
	for _, d := range []*appsv1.Deployment{saved, fresh} {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, "touched", "yes")
	}
	refused := r.Kubectl.Replace(saved, "saved.json")
	r.try(r.Kubectl.Replace(fresh, "fresh.json"))
	r.untilRolledOut("web")
	return refused.Error()
}

func (r *Run) annotate(rs string) error {
	return editNow(r.Kubectl, rs, "Annotate", "kubectl annotate replicaset "+rs+" touched=yes", func(rs *appsv1.ReplicaSet) {
		metav1.SetMetaDataAnnotation(&rs.ObjectMeta, "touched", "yes")
	})
}

func playQuarantine(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	sick := r.aPod()
	r.try(r.Kubectl.Label(sick, "app", nil))
	r.untilReady(int(r.Replicas) + 1)
	r.note("pods_with_the_sick_one", r.sample().Total())
	r.note("owner_of_the_sick_one", r.ownerOf(sick))
	r.try(r.Kubectl.Label(sick, "app", ptr.To("web")))
	r.untilReady(int(r.Replicas))
	r.note("pods_when_it_is_back", r.sample().Total())
}

func (r *Run) ownerOf(pod string) string {
	p, err := get[*corev1.Pod](r.Store, Key{Namespace: namespace, Name: pod})
	r.try(err)
	if metav1.GetControllerOf(p) == nil {
		return "<none>"
	}
	return metav1.GetControllerOf(p).Name
}

func playGC(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	r.try(r.Kubectl.Delete(DeploymentKind, "web", false))
	from := r.Clock.Tick()
	r.until("the collection of the ReplicaSet", func() bool { return len(list[*appsv1.ReplicaSet](r.Store, namespace)) == 0 })
	r.note("ticks_until_replicaset_gone", r.since(from))
	r.until("the collection of the pods", func() bool { return len(r.pods()) == 0 })
	r.note("ticks_until_pods_gone", r.since(from))

	r.deploy("keep", "keep:1.0", asIs)
	r.try(r.Kubectl.Delete(DeploymentKind, "keep", true))
	r.wait(3)
	r.note("orphaned_replicasets", len(list[*appsv1.ReplicaSet](r.Store, namespace)))
	r.note("pods_of_the_orphan", len(r.pods()))
	r.try(r.Kubectl.Delete(PodKind, r.aPod(), false)) // the ReplicaSet has no owner, and still does its work
	r.untilReady(int(r.Replicas))
	r.note("pods", r.sample().Total())
}
