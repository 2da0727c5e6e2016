package minictl

import (
	"fmt"

	"k8s.io/utils/ptr"
)

// A step is one thing that one actor does at once.
type step struct {
	actor, what string
	take        func(*Cluster) error
}

func (s step) String() string { return s.actor + ": " + s.what }

const user = "user"

// systemSteps are what may happen next without a user: time passes on the node, a controller takes one of its keys, or
// the garbage collector makes a pass.
func systemSteps(c *Cluster) []step {
	steps := []step{{"kubelet", "a tick", func(c *Cluster) error {
		c.Clock.tick++
		c.Kubelet.Step()
		return nil
	}}}
	for i, controller := range controllersOf(c) {
		for _, key := range controller.Queue.Ready(c.Clock.tick) {
			steps = append(steps, step{controller.Name, key.Name, func(c *Cluster) error {
				controller := controllersOf(c)[i]
				delete(controller.Queue.due, key)
				controller.work(key, c.Clock.tick)
				return nil
			}})
		}
	}
	return append(steps, step{"garbage-collector", "a pass", func(c *Cluster) error {
		collectGarbage(c.Store)
		return nil
	}})
}

// userSteps are what a user may do next. Of pods that differ in nothing but their names, one stands for all.
func userSteps(c *Cluster) []step {
	var steps []step
	add := func(what string, do func(*Kubectl) error) {
		steps = append(steps, step{user, what, func(c *Cluster) error { return do(c.Kubectl) }})
	}
	for replicas := range int32(4) {
		add(fmt.Sprintf("scale to %d", replicas), func(k *Kubectl) error { return k.Scale(DeploymentKind, "web", replicas) })
	}
	for _, image := range []string{"web:1.0", "web:2.0", "web:broken"} {
		add("set image "+image, func(k *Kubectl) error { return k.SetImage("web", image) })
	}
	add("undo", func(k *Kubectl) error { return k.RolloutUndo("web", 0) })
	for _, class := range podClasses(c) {
		pod := class.pods[0]
		add("delete pod of "+class.text, func(k *Kubectl) error { return k.Delete(PodKind, pod.Name, false) })
		label := ptr.To("web")
		if pod.Labels["app"] == "web" {
			label = nil
		}
		add("relabel pod of "+class.text, func(k *Kubectl) error { return k.Label(pod.Name, "app", label) })
	}
	for _, rs := range setsOf(c) {
		add("delete "+rs.Name, func(k *Kubectl) error { return k.Delete(ReplicaSetKind, rs.Name, false) })
	}
	return steps
}
