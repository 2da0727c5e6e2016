package differential

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/twinloop/labs/minictl"
)

// model is minictl's side.
type model struct {
	t testing.TB
	*minictl.Cluster
	recorded int // how much of the log has been taken
	seen     extremes
}

func newModel(t testing.TB, spec appsv1.DeploymentSpec) *model {
	m := &model{t: t, Cluster: minictl.NewCluster(1, 1)}
	m.try(m.Kubectl.Create(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault}, Spec: *spec.DeepCopy(),
	}))
	return m
}

func (m *model) try(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal("minictl: ", err)
	}
}

func (m *model) scale(replicas int32) {
	m.try(m.Kubectl.Scale(minictl.DeploymentKind, "web", replicas))
}
func (m *model) setImage(image string) { m.try(m.Kubectl.SetImage("web", image)) }
func (m *model) undo()                 { m.try(m.Kubectl.RolloutUndo("web", 0)) }

func (m *model) objects() objects {
	o := objects{sets: list[*appsv1.ReplicaSet](m, minictl.ReplicaSetKind), pods: list[*corev1.Pod](m, minictl.PodKind)}
	o.deployment = list[*appsv1.Deployment](m, minictl.DeploymentKind)[0]
	return o
}

func list[T minictl.Object](m *model, kind minictl.Kind) []T {
	found, _ := m.Store.List(kind, metav1.NamespaceDefault, labels.Everything())
	typed := make([]T, len(found))
	for i, object := range found {
		typed[i] = object.(T)
	}
	return typed
}

// tick lets time pass, in which no pod becomes ready by itself.
func (m *model) tick() {
	for _, pod := range m.objects().pods {
		if !isReady(pod) {
			m.Kubelet.FailProbe(minictl.Key{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	m.step()
}

func (m *model) step() {
	m.Tick()
	m.seen = m.seen.and(m.objects().extremes())
}

// rest lets time pass until two ticks in succession write nothing.
func (m *model) rest() {
	m.t.Helper()
	for quiet, ticks := 0, 0; quiet < 2; ticks++ {
		if ticks == 200 {
			m.t.Fatalf("minictl is not at rest after %d ticks", ticks)
		}
		before := m.version()
		m.tick()
		quiet++
		if m.version() != before {
			quiet = 0
		}
	}
}

func (m *model) version() string {
	_, version := m.Store.List(minictl.PodKind, metav1.NamespaceDefault, labels.Everything())
	return version
}

// makeReady makes all pods of a ReplicaSet ready, in one tick.
func (m *model) makeReady(set string) {
	for _, pod := range m.objects().unready(set) {
		m.Kubelet.PassProbe(minictl.Key{Namespace: pod.Namespace, Name: pod.Name})
	}
	m.step()
}

// begin forgets what was seen before.
func (m *model) begin() {
	m.recorded, m.seen = len(m.Log.Records()), m.objects().extremes()
}

// scalings are the events since begin.
func (m *model) scalings() []string {
	var messages []string
	for _, record := range m.Log.Records()[m.recorded:] {
		if record.Reason == "ScalingReplicaSet" {
			messages = append(messages, record.Message)
		}
	}
	return messages
}
