package kubelet_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
)

// cp has no kubelet of its own: each test starts the one it is about.
var cp *controlplane.ControlPlane

func TestMain(m *testing.M) { controlplanetest.Main(m, controlplane.Options{}, &cp) }

func TestPodsBecomeReady(t *testing.T) {
	client, namespace := start(t, kubelet.Options{})
	for _, name := range []string{"a", "b"} {
		create(t, client, namespace, pod(name, "web:1.0"))
	}
	a := await(t, client, namespace, "a", ready)
	b := await(t, client, namespace, "b", ready)
	if a.Spec.NodeName != kubelet.NodeName || a.Status.Phase != corev1.PodRunning {
		t.Errorf("pod a is %s on node %q", a.Status.Phase, a.Spec.NodeName)
	}
	if a.Status.PodIP == "" || a.Status.PodIP == b.Status.PodIP {
		t.Errorf("pods a and b have the addresses %q and %q", a.Status.PodIP, b.Status.PodIP)
	}
	if status := a.Status.ContainerStatuses; len(status) != 1 || !status[0].Ready || status[0].State.Running == nil {
		t.Errorf("pod a's containers: %+v", status)
	}
}

func TestNodeIsReady(t *testing.T) {
	client, _ := start(t, kubelet.Options{})
	node, err := client.CoreV1().Nodes().Get(t.Context(), kubelet.NodeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c := node.Status.Conditions; len(c) != 1 || c[0].Type != corev1.NodeReady || c[0].Status != corev1.ConditionTrue {
		t.Errorf("conditions: %+v", c)
	}
}

func TestReadyAfterDelay(t *testing.T) {
	k, client, namespace := startManual(t, kubelet.Options{ReadyAfter: time.Hour})
	create(t, client, namespace, pod("slow", "web:1.0"))
	await(t, client, namespace, "slow", running)
	k.SetReadyAfter(time.Millisecond)
	await(t, client, namespace, "slow", ready)
	k.SetReadyAfter(time.Hour)
	create(t, client, namespace, pod("slower", "web:1.0"))
	await(t, client, namespace, "slower", running)
	if p := get(t, client, namespace, "slow"); !ready(p) {
		t.Error("a longer delay took readiness from a pod that had it")
	}
}

func TestReadyOnCommand(t *testing.T) {
	k, client, namespace := startManual(t, kubelet.Options{Manual: true})
	create(t, client, namespace, pod("a", "web:1.0"))
	create(t, client, namespace, pod("b", "web:1.0"))
	command(t, k.Ready, namespace, "a")
	if p := get(t, client, namespace, "a"); !ready(p) {
		t.Errorf("not ready after the command: %+v", p.Status)
	}
	command(t, k.Unready, namespace, "a")
	if p := get(t, client, namespace, "a"); ready(p) || !running(p) {
		t.Errorf("still ready after the command: %+v", p.Status)
	}
	if p := await(t, client, namespace, "b", running); ready(p) {
		t.Error("pod b became ready without a command")
	}
}

func TestFail(t *testing.T) {
	k, client, namespace := startManual(t, kubelet.Options{})
	create(t, client, namespace, pod("a", "web:1.0"))
	await(t, client, namespace, "a", ready)
	command(t, k.Fail, namespace, "a")
	p := get(t, client, namespace, "a")
	if p.Status.Phase != corev1.PodFailed || p.Status.Reason != "Evicted" || ready(p) {
		t.Errorf("after Fail: %+v", p.Status)
	}
	if err := k.Ready(t.Context(), namespace, "a"); err == nil || !strings.Contains(err.Error(), "cannot become ready") {
		t.Errorf("Ready on a failed pod: %v", err)
	}
	if err := k.Ready(t.Context(), namespace, "absent"); !apierrors.IsNotFound(err) {
		t.Errorf("Ready on no pod: %v", err)
	}
}

func TestBrokenImageIsNeverReady(t *testing.T) {
	k, client, namespace := startManual(t, kubelet.Options{})
	create(t, client, namespace, pod("bad", "web:broken"))
	p := await(t, client, namespace, "bad", func(p *corev1.Pod) bool { return len(p.Status.ContainerStatuses) > 0 })
	if waiting := p.Status.ContainerStatuses[0].State.Waiting; waiting == nil || waiting.Reason != "ImagePullBackOff" {
		t.Errorf("container: %+v", p.Status.ContainerStatuses[0])
	}
	if p.Spec.NodeName == "" || p.Status.Phase != corev1.PodPending || ready(p) {
		t.Errorf("status: %+v", p.Status)
	}
	if err := k.Ready(t.Context(), namespace, "bad"); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("Ready on a broken pod: %v", err)
	}
}

func TestDeletionTakesItsTime(t *testing.T) {
	client, namespace := start(t, kubelet.Options{TerminateAfter: time.Hour})
	create(t, client, namespace, pod("patient", "web:1.0"))
	create(t, client, namespace, pod("hasty", "web:1.0"))
	await(t, client, namespace, "patient", ready)
	await(t, client, namespace, "hasty", ready)
	remove(t, client, namespace, "patient", 3600)
	remove(t, client, namespace, "hasty", 1)
	awaitGone(t, client, namespace, "hasty")
	if p := get(t, client, namespace, "patient"); p.DeletionTimestamp == nil {
		t.Error("not being deleted")
	}
}

func TestDeletionAtOnceAndFinalizers(t *testing.T) {
	client, namespace := start(t, kubelet.Options{})
	held := pod("held", "web:1.0")
	held.Finalizers = []string{"example.com/hold"}
	create(t, client, namespace, held)
	create(t, client, namespace, pod("free", "web:1.0"))
	await(t, client, namespace, "held", ready)
	await(t, client, namespace, "free", ready)
	remove(t, client, namespace, "held", 30)
	remove(t, client, namespace, "free", 30)
	awaitGone(t, client, namespace, "free")
	await(t, client, namespace, "held", func(p *corev1.Pod) bool {
		return p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 0
	})
	patch := []byte(`{"metadata":{"finalizers":null}}`)
	_, err := client.CoreV1().Pods(namespace).
		Patch(t.Context(), "held", "application/merge-patch+json", patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	awaitGone(t, client, namespace, "held")
}

// A second kubelet finds the pods of the first as they are, and gives none of their addresses away.
func TestRestart(t *testing.T) {
	first, err := kubelet.Start(t.Context(), cp.AdminConfig(), kubelet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	create(t, client, namespace, pod("old", "web:1.0"))
	old := await(t, client, namespace, "old", ready)
	first.Stop()
	second, err := kubelet.Start(t.Context(), cp.AdminConfig(), kubelet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Stop()
	create(t, client, namespace, pod("new", "web:1.0"))
	fresh := await(t, client, namespace, "new", ready)
	if fresh.Status.PodIP == old.Status.PodIP {
		t.Errorf("both pods have the address %s", old.Status.PodIP)
	}
	if p := get(t, client, namespace, "old"); p.ResourceVersion != old.ResourceVersion {
		t.Error("the second kubelet wrote a pod that was settled")
	}
}

// BenchmarkPods reports how many pods a second come to Ready, created by 32 clients at once.
func BenchmarkPods(b *testing.B) {
	k, err := kubelet.Start(b.Context(), cp.AdminConfig(), kubelet.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Stop()
	client := controlplanetest.Client(b, cp)
	for b.Loop() {
		const pods = 1000
		namespace := controlplanetest.Namespace(b, client)
		watcher, err := client.CoreV1().Pods(namespace).Watch(b.Context(), metav1.ListOptions{})
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		var creators sync.WaitGroup
		creators.Go(func() {
			createMany(b, client, namespace, pods)
			b.ReportMetric(pods/time.Since(began).Seconds(), "created/s")
		})
		isReady := map[string]bool{}
		for event := range watcher.ResultChan() {
			if p, ok := event.Object.(*corev1.Pod); ok && ready(p) {
				isReady[p.Name] = true
			}
			if len(isReady) == pods {
				break
			}
		}
		creators.Wait()
		b.ReportMetric(float64(len(isReady))/time.Since(began).Seconds(), "ready/s")
		watcher.Stop()
	}
}

func createMany(b *testing.B, client kubernetes.Interface, namespace string, pods int) {
	var creators sync.WaitGroup
	names := make(chan struct{}, pods)
	for range pods {
		names <- struct{}{}
	}
	close(names)
	for range 32 {
		creators.Go(func() {
			for range names {
				p := pod("", "web:1.0")
				p.GenerateName = "pod-"
				if _, err := client.CoreV1().Pods(namespace).Create(b.Context(), p, metav1.CreateOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	creators.Wait()
}

func start(t *testing.T, opts kubelet.Options) (kubernetes.Interface, string) {
	_, client, namespace := startManual(t, opts)
	return client, namespace
}

func startManual(t *testing.T, opts kubelet.Options) (*kubelet.Kubelet, kubernetes.Interface, string) {
	t.Helper()
	k, err := kubelet.Start(t.Context(), cp.AdminConfig(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	client := controlplanetest.Client(t, cp)
	return k, client, controlplanetest.Namespace(t, client)
}

func pod(name, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: image}}},
	}
}

func create(t *testing.T, client kubernetes.Interface, namespace string, p *corev1.Pod) {
	t.Helper()
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client kubernetes.Interface, namespace, name string) *corev1.Pod {
	t.Helper()
	p, err := client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func remove(t *testing.T, client kubernetes.Interface, namespace, name string, grace int64) {
	t.Helper()
	if err := client.CoreV1().Pods(namespace).Delete(t.Context(), name, *metav1.NewDeleteOptions(grace)); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, do func(context.Context, string, string) error, namespace, name string) {
	t.Helper()
	if err := do(t.Context(), namespace, name); err != nil {
		t.Fatal(err)
	}
}

func ready(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func running(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning }

// await watches a pod until it is as wanted.
func await(t *testing.T, client kubernetes.Interface, ns, name string, wanted func(*corev1.Pod) bool) *corev1.Pod {
	t.Helper()
	watcher, err := client.CoreV1().Pods(ns).Watch(t.Context(), metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	var last *corev1.Pod
	follow(t, watcher, func(event watch.Event) bool {
		last, _ = event.Object.(*corev1.Pod)
		return event.Type != watch.Deleted && wanted(last)
	})
	return last
}

func awaitGone(t *testing.T, client kubernetes.Interface, ns, name string) {
	t.Helper()
	pods := client.CoreV1().Pods(ns)
	watcher, err := pods.Watch(t.Context(), metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if _, err := pods.Get(t.Context(), name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		return // before the watch began
	}
	follow(t, watcher, func(event watch.Event) bool { return event.Type == watch.Deleted })
}

func follow(t *testing.T, watcher watch.Interface, done func(watch.Event) bool) {
	t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatal("the watch ended before the pod came to the awaited state")
			}
			if done(event) {
				return
			}
		case <-timeout:
			t.Fatal("the pod did not come to the awaited state within 30 s")
		}
	}
}
