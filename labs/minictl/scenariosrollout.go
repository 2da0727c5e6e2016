package minictl

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
)

func playRolling(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	r.update("web:2.0")
	revisions, err := r.Kubectl.Revisions("web")
	r.try(err)
	r.note("revisions", revisions)
}

// update rolls an image out, and notes what that took.
func (r *Run) update(image string) {
	from := r.Clock.Tick()
	r.setImage(image)
	r.untilRolledOut("web")
	r.note("max_pods", r.maxPods(from))
	r.note("min_ready", r.minReady(from))
	r.note("rollout_ticks", r.since(from))
}

// setImage begins a rollout. The picture shows its bounds from here on.
func (r *Run) setImage(image string) {
	r.try(r.Kubectl.SetImage("web", image))
	if r.bounds == (Bounds{}) && !r.Recreate {
		d, err := get[*appsv1.Deployment](r.Store, Key{Namespace: namespace, Name: "web"})
		r.try(err)
		r.bounds, r.boundsFrom = boundsOf(d), r.Clock.Tick()
	}
}

func playRollback(r *Run) {
	r.deploy("web", "web:1.0", func(d *appsv1.Deployment) {
		d.Spec.ProgressDeadlineSeconds = ptr.To(10 + d.Spec.MinReadySeconds)
	})
	from := r.Clock.Tick()
	r.setImage("web:broken")
	var late error
	r.until("the end of the deadline", func() bool {
		_, done, err := r.Kubectl.RolloutStatus("web")
		late = err
		return done || err != nil
	})
	r.note("stalled_pods", r.sample().Total())
	r.note("stalled_ready", r.sample().Ready())
	if late != nil {
		r.Log.Record("kubectl", "Deployment/default/web", "RolloutStatus", "error: "+late.Error())
		r.note("rollout_status", late.Error())
	}
	r.try(r.Kubectl.RolloutUndo("web", 0))
	r.untilRolledOut("web")
	revisions, err := r.Kubectl.Revisions("web")
	r.try(err)
	r.note("max_pods", r.maxPods(from))
	r.note("min_ready", r.minReady(from))
	r.note("revisions", revisions)
}

func playMinReady(r *Run) {
	r.deploy("web", "web:1.0", asIs)
	r.update("web:2.0")

	// Once more, and this time the first new pod is unready for a tick just before it would count.
	from := r.Clock.Tick()
	r.setImage("web:3.0")
	r.wait(1 + r.ReadyAfter)
	for _, pod := range r.pods() {
		if pod.Spec.Containers[0].Image == "web:3.0" {
			r.wait(max(0, int(r.MinReadySeconds)-1))
			r.Kubelet.FailProbe(keyOf(pod))
			r.wait(1)
			r.Kubelet.PassProbe(keyOf(pod))
			break
		}
	}
	r.untilRolledOut("web")
	r.note("min_ready_after_flap", r.minReady(from))
	r.note("rollout_ticks_with_flap", r.since(from))
}
