package rosettastone

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/twinloop/labs/cluster"
)

func (b *bed) create(ctx context.Context) error {
	b.step("create", "A Fleet of 3 is created:")
	fleets := b.cluster.Fleets.FleetV1alpha1().Fleets(cluster.Namespace)
	_, err := fleets.Create(ctx, cluster.NewFleet(web, 3), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := b.rest(ctx); err != nil {
		return err
	}
	b.Measure("created", b.writes("create", "POST pods"))
	return nil
}

func (b *bed) deleteOne(ctx context.Context) error {
	names := b.observer.Now().PodsOf(web)
	b.step("delete one", "Pod "+names[0]+" is deleted:")
	if err := b.pods().Delete(ctx, names[0], metav1.DeleteOptions{}); err != nil {
		return err
	}
	after, err := b.rest(ctx)
	if err != nil {
		return err
	}
	b.Measure("created-for-one", b.writes("delete one", "POST pods"))
	b.Measure("names-kept-by-two", kept(names, after.PodsOf(web)))
	b.Measure("name-comes-back", after.Pods[names[0]] != nil)
	return nil
}

func (b *bed) deleteAll(ctx context.Context) error {
	names := b.observer.Now().PodsOf(web)
	b.step("delete all", "All pods are deleted:")
	if err := b.pods().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	after, err := b.rest(ctx)
	if err != nil {
		return err
	}
	b.Measure("created-for-all", b.writes("delete all", "POST pods"))
	b.Measure("names-kept-by-none", kept(names, after.PodsOf(web)))
	return nil
}

func (b *bed) quarantine(ctx context.Context) error {
	name := b.observer.Now().PodsOf(web)[0]
	b.step("quarantine", "Pod "+name+" gets the label app=quarantine:")
	if err := b.relabel(ctx, name); err != nil {
		return err
	}
	after, err := b.rest(ctx)
	if err != nil {
		return err
	}
	b.Measure("created-for-quarantined", b.writes("quarantine", "POST pods"))
	b.Measure("pods-after-quarantine", len(after.Pods))
	b.Measure("quarantined-is-owned", metav1.GetControllerOf(after.Pods[name]) != nil)
	return nil
}

// intrude creates a pod that matches, but is of no revision of the Fleet's.
func (b *bed) intrude(ctx context.Context) error {
	names := b.observer.Now().PodsOf(web)
	b.step("intrude", "A pod called foreign with the label app=web is created, while the Fleet has its 3:")
	_, err := b.pods().Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "foreign", Labels: map[string]string{"app": web}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	after, err := b.rest(ctx)
	if err != nil {
		return err
	}
	adopted := func(s cluster.State) bool { return slices.Contains(s.PodsOf(web), "foreign") }
	isAdopted, deleted := slices.ContainsFunc(b.observer.States(), adopted), nobody
	switch {
	case after.Pods["foreign"] == nil:
		deleted = foreign
	case kept(names, after.PodsOf(web)) < len(names):
		deleted = own
	}
	b.Say("  in between, foreign became web's: %t; deleted: %s", isAdopted, deleted)
	b.Measure("foreign-is-adopted", isAdopted)
	b.Measure("created-for-foreign", b.writes("intrude", "POST pods"))
	b.Measure("deleted-for-foreign", deleted)
	return nil
}

func (b *bed) relabel(ctx context.Context, pod string) error {
	_, err := b.pods().Patch(ctx, pod, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"app":"quarantine"}}}`), metav1.PatchOptions{})
	return err
}
