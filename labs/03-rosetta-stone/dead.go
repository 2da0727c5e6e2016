package rosettastone

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/labs/cluster"
)

// changeWhileDead leaves one pod of three, and scales twice.
func (b *bed) changeWhileDead(ctx context.Context) error {
	names := b.observer.Now().PodsOf(web)
	b.step("dead", "The operator is killed. Meanwhile a pod is deleted, another gets the label app=quarantine,\n"+
		"and the Fleet is scaled to 7 and then to 5:")
	b.running.Kill()
	if err := b.pods().Delete(ctx, names[0], metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := b.relabel(ctx, names[1]); err != nil {
		return err
	}
	var generation int64
	for _, replicas := range []int{7, 5} {
		scaled, err := b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace).Patch(ctx, web, types.MergePatchType,
			fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		generation = scaled.Generation
	}
	state, err := b.observer.Await(ctx, "all of that to be seen", func(s cluster.State) bool {
		relabelled := s.Pods[names[1]].Labels["app"] != web
		return s.Pods[names[0]] == nil && relabelled && s.Fleets[web].Generation == generation
	})
	if err != nil {
		return err
	}
	f := state.Fleets[web]
	b.Say("  wants %d, says that it has %d; generation %d, of which it has observed %d",
		*f.Spec.Replicas, f.Status.Replicas, f.Generation, f.Status.ObservedGeneration)
	matching := 0
	for _, pod := range state.Pods {
		if pod.Labels["app"] == web {
			matching++
		}
	}
	b.Measure("matching-while-dead", matching)
	b.Measure("replicas-in-status-while-dead", int(f.Status.Replicas))
	b.Measure("generations-behind", int(f.Generation-f.Status.ObservedGeneration))
	b.quarantined = names[1]
	return nil
}

func (b *bed) restart(ctx context.Context) error {
	statesBefore, eventsBefore := len(b.observer.States()), len(b.cluster.Proxy.WatchEvents())
	b.step("restart", "The operator is started again:")
	if err := b.start(); err != nil {
		return err
	}
	after, err := b.rest(ctx)
	if err != nil {
		return err
	}
	deletions := 0
	for _, e := range b.cluster.Proxy.WatchEvents()[eventsBefore:] {
		if e.Kind == "Pod" && e.Type == watch.Deleted {
			deletions++
		}
	}
	most := 0
	for _, s := range b.observer.States()[statesBefore:] {
		most = max(most, len(s.PodsOf(web)))
	}
	b.Measure("created-after-restart", b.writes("restart", "POST pods"))
	b.Measure("deletions-told-after-restart", deletions)
	b.Measure("most-pods-after-restart", most)
	b.Measure("quarantined-while-dead-is-owned", metav1.GetControllerOf(after.Pods[b.quarantined]) != nil)
	return nil
}

func (b *bed) deleteFleet(ctx context.Context) error {
	b.step("delete", "The Fleet is deleted:")
	err := b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace).Delete(ctx, web, metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	after, err := b.observer.Await(ctx, "its pods to be gone", func(s cluster.State) bool {
		for _, pod := range s.Pods {
			if metav1.GetControllerOf(pod) != nil {
				return false
			}
		}
		return s.Fleets[web] == nil
	})
	if err != nil {
		return err
	}
	for _, pod := range describe(after) {
		b.Say("  left is %s", pod)
	}
	b.Measure("deletes-by-operator", b.writes("delete", "DELETE pods"))
	b.Measure("pods-left", len(after.Pods))
	return nil
}
