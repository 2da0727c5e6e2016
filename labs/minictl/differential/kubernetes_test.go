package differential

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// recorderBurst is how many events of one object client-go's recorder writes before it drops most (tools/record,
// defaultSpamBurst).
const recorderBurst = 25

// actual is Kubernetes' side: the Deployment web in a namespace of its own, followed by watches.
type actual struct {
	t         testing.TB
	client    kubernetes.Interface
	namespace string
	config    string // the kubeconfig's path

	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, with every change
	web     *appsv1.Deployment
	sets    map[types.UID]*appsv1.ReplicaSet
	pods    map[types.UID]*corev1.Pod
	seen    extremes
	scaled  []string // since begin
	all     []string // since the creation
	events  []string // since the creation
}

func newActual(t testing.TB) *actual {
	t.Helper()
	client := controlplanetest.Client(t, cp)
	a := &actual{
		t: t, client: client, namespace: controlplanetest.Namespace(t, client),
		changed: make(chan struct{}), sets: map[types.UID]*appsv1.ReplicaSet{}, pods: map[types.UID]*corev1.Pod{},
	}
	a.config = kubeconfig(t, a.namespace)
	holdStatuses(t, client, a.namespace)
	a.follow()
	return a
}

func kubeconfig(t testing.TB, namespace string) string {
	t.Helper()
	content, err := cp.Kubeconfig(t.Context(), controlplane.Access{Namespace: namespace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (a *actual) try(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// follow watches everything in the namespace until the test ends. Informers would not do: they may change the order of
// events of different objects.
func (a *actual) follow() {
	ctx, stop := context.WithCancel(context.Background())
	var following sync.WaitGroup
	a.t.Cleanup(func() {
		stop()
		following.Wait()
	})
	apps, core := a.client.AppsV1(), a.client.CoreV1()
	for _, start := range []func(context.Context, metav1.ListOptions) (watch.Interface, error){
		apps.Deployments(a.namespace).Watch,
		apps.ReplicaSets(a.namespace).Watch,
		core.Pods(a.namespace).Watch,
		core.Events(a.namespace).Watch,
	} {
		w, err := start(ctx, metav1.ListOptions{})
		a.try(err)
		following.Go(func() {
			defer w.Stop()
			for event := range w.ResultChan() {
				a.apply(event)
			}
		})
	}
}

func (a *actual) apply(event watch.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch object := event.Object.(type) {
	case *appsv1.Deployment:
		a.web = object
	case *appsv1.ReplicaSet:
		if metav1.GetControllerOf(object) == nil {
			return // not one of the Deployment's
		}
		var before int32
		if rs := a.sets[object.UID]; rs != nil {
			before = *rs.Spec.Replicas
		}
		if event.Type == watch.Deleted {
			delete(a.sets, object.UID)
			break
		}
		a.sets[object.UID] = object
		if message := scaling(object.Name, before, *object.Spec.Replicas); message != "" {
			a.scaled, a.all = append(a.scaled, message), append(a.all, message)
		}
	case *corev1.Pod:
		a.pods[object.UID] = object
		if event.Type == watch.Deleted {
			delete(a.pods, object.UID)
		}
	case *corev1.Event:
		// An event that was recorded before is written again, with another count.
		if object.Reason == "ScalingReplicaSet" && event.Type != watch.Deleted {
			a.events = append(a.events, strings.TrimPrefix(object.Message, "(combined from similar events): "))
		}
	}
	a.seen = a.seen.and(a.snapshot().extremes())
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *actual) snapshot() objects {
	return objects{a.web, slices.Collect(maps.Values(a.sets)), slices.Collect(maps.Values(a.pods))}
}

func (a *actual) objects() objects {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.snapshot()
}

func (a *actual) extremes() extremes {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}

// await returns when something is so, or fails with what is instead.
func (a *actual) await(isSo func() (diff string)) {
	a.t.Helper()
	timeout := time.After(patience)
	for {
		a.mu.Lock()
		diff, changed := isSo(), a.changed
		a.mu.Unlock()
		if diff == "" {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			a.t.Fatalf("waited %s, but (-want +got):\n%s", patience, diff)
		}
	}
}

// awaitState returns when the state is the one that minictl is at rest in. If Kubernetes is not at rest in it, its next
// scaling is one too many.
func (a *actual) awaitState(want state) {
	a.t.Helper()
	a.await(func() string { return cmp.Diff(want, a.snapshot().state()) })
}

func (a *actual) create(d *appsv1.Deployment) appsv1.DeploymentSpec {
	a.t.Helper()
	created, err := a.client.AppsV1().Deployments(a.namespace).Create(a.t.Context(), d, metav1.CreateOptions{})
	a.try(err)
	return created.Spec
}

func (a *actual) patch(patch string) {
	a.t.Helper()
	_, err := a.client.AppsV1().Deployments(a.namespace).Patch(a.t.Context(), "web", types.StrategicMergePatchType,
		[]byte(patch), metav1.PatchOptions{})
	a.try(err)
}

func (a *actual) kubectl(args ...string) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), cp.Bin("kubectl"), append([]string{"--kubeconfig", a.config}, args...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, output)
	}
}

func (a *actual) scale(replicas int32) {
	a.t.Helper()
	a.patch(fmt.Sprintf(`{"spec": {"replicas": %d}}`, replicas))
}

// setImage waits for the next second first: ReplicaSets that are created in the same one are in order of name.
func (a *actual) setImage(image string) {
	a.t.Helper()
	a.try(wait.PollUntilContextTimeout(a.t.Context(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(a.objects().sets, func(rs *appsv1.ReplicaSet) bool {
			return rs.CreationTimestamp.Unix() == time.Now().Unix()
		}), nil
	}))
	a.patch(fmt.Sprintf(`{"spec": {"template": {"spec": {"containers": [{"name": "app", "image": %q}]}}}}`, image))
}

func (a *actual) undo() {
	a.t.Helper()
	a.kubectl("rollout", "undo", "deployment/web")
}

// makeReady makes all pods of a ReplicaSet ready, of which its status tells at once.
func (a *actual) makeReady(set string) {
	a.t.Helper()
	unready := a.objects().unready(set)
	available := len(unready)
	for _, rs := range a.objects().sets {
		if rs.Name == set {
			available += int(rs.Status.AvailableReplicas)
		}
	}
	a.label(set, untilAvailable, ptr.To(fmt.Sprint(available)))
	for _, pod := range unready {
		pod = pod.DeepCopy()
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
		_, err := a.client.CoreV1().Pods(a.namespace).UpdateStatus(a.t.Context(), pod, metav1.UpdateOptions{})
		a.try(err)
	}
}

// label sets a label of a ReplicaSet, or removes it if the value is nil.
func (a *actual) label(set, key string, value *string) {
	a.t.Helper()
	text := "null"
	if value != nil {
		text = fmt.Sprintf("%q", *value)
	}
	_, err := a.client.AppsV1().ReplicaSets(a.namespace).Patch(a.t.Context(), set, types.MergePatchType,
		fmt.Appendf(nil, `{"metadata": {"labels": {%q: %s}}}`, key, text), metav1.PatchOptions{})
	a.try(err)
}

// begin forgets what was seen before.
func (a *actual) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scaled, a.seen = nil, a.snapshot().extremes()
}

// scalings are those since begin.
func (a *actual) scalings() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.scaled
}

// awaitEvents checks that the scalings are those of which the controller recorded events.
func (a *actual) awaitEvents() {
	a.t.Helper()
	a.await(func() string { return cmp.Diff(a.all[:min(len(a.all), recorderBurst)], a.events) })
}
