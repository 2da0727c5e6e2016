package hassynced

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/api/generated/informers/externalversions"
)

// notTogether has two informers sync, and holds the watch of one while pods come to be, and after them their Fleet.
func notTogether(ctx context.Context, bench *lab.Bench, s *settings) error {
	fleets, pods, stop, err := informTogether(ctx, s)
	if err != nil {
		return err
	}
	defer stop()
	if !cache.WaitFor(ctx, "", fleets.HasSyncedChecker(), pods.HasSyncedChecker()) {
		return ctx.Err()
	}
	held := proxy.Watched{Resource: "pods"}
	s.Proxy.Hold(held)
	defer s.Proxy.Release(held)
	if err := createFleet(ctx, s); err != nil {
		return err
	}
	seen := func(informer cache.SharedIndexInformer) int { return len(informer.GetStore().ListKeys()) }
	if err := cluster.Await(ctx, "the Fleet is in the cache", func() bool { return seen(fleets) > 0 }); err != nil {
		return err
	}
	bench.Say("\n2. Not that two informers are at the same point. The pods' watch is held; %d are created, then their Fleet:",
		replicas)
	bench.Say("  in the caches: %d Fleet and %d pods, which never was; HasSynced: %t and %t",
		seen(fleets), seen(pods), fleets.HasSynced(), pods.HasSynced())
	bench.Measure("fleet-seen", seen(fleets) == 1)
	bench.Measure("pods-seen", seen(pods))
	bench.Measure("both-synced", fleets.HasSynced() && pods.HasSynced())
	return nil
}

// informTogether starts an informer of Fleets and one of pods.
func informTogether(ctx context.Context, s *settings) (fleets, pods cache.SharedIndexInformer, stop func(), err error) {
	kube, err := kubernetes.NewForConfig(s.ProxyConfig())
	if err != nil {
		return nil, nil, nil, err
	}
	own, err := versioned.NewForConfig(s.ProxyConfig())
	if err != nil {
		return nil, nil, nil, err
	}
	podFactory := informers.NewSharedInformerFactory(kube, 0)
	fleetFactory := externalversions.NewSharedInformerFactory(own, 0)
	pods, fleets = podFactory.Core().V1().Pods().Informer(), fleetFactory.Fleet().V1alpha1().Fleets().Informer()
	ctx, cancel := context.WithCancel(ctx)
	podFactory.StartWithContext(ctx)
	fleetFactory.StartWithContext(ctx)
	return fleets, pods, func() {
		cancel()
		podFactory.Shutdown()
		fleetFactory.Shutdown()
	}, nil
}

// replicas are the pods of the Fleet.
const replicas = 3

// createFleet creates the pods first, and then the Fleet that they are of.
func createFleet(ctx context.Context, s *settings) error {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}
	for n := range replicas {
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.Name = fmt.Sprintf("web-%d", n)
		if _, err := s.Kube.CoreV1().Pods(cluster.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	fleet := &v1alpha1.Fleet{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.FleetSpec{
		Replicas: ptr.To[int32](replicas),
		Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
		Template: template,
	}}
	_, err := s.Fleets.FleetV1alpha1().Fleets(cluster.Namespace).Create(ctx, fleet, metav1.CreateOptions{})
	return err
}
