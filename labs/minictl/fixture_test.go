package minictl

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func newStore() *Store { return NewStore(&Clock{}, 1) }

func must[T any](t failer) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return value
	}
}

func key(name string) Key { return Key{Namespace: namespace, Name: name} }

func bare(name string, set map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: set},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
	}
}

func set(name string, replicas int32) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: podTemplate(name, name+":1.0"),
		},
	}
}

func deployment(replicas int32, surge, unavailable string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: podTemplate("web", "web:1.0"),
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: ptr.To(intstr.Parse(surge)), MaxUnavailable: ptr.To(intstr.Parse(unavailable)),
				},
			},
		},
	}
}

// tickUntil lets time pass until something is so, for as long as that may take.
func tickUntil(t failer, c *Cluster, what string, isSo func() bool) {
	t.Helper()
	for range 500 {
		if isSo() {
			return
		}
		c.Tick()
	}
	t.Fatalf("500 ticks passed without %s", what)
}

func rolledOut(c *Cluster) func() bool {
	return func() bool {
		_, done, _ := c.Kubectl.RolloutStatus("web")
		return done
	}
}

func web(t failer, c *Cluster) *appsv1.Deployment {
	t.Helper()
	return must[*appsv1.Deployment](t)(get[*appsv1.Deployment](c.Store, key("web")))
}

// rolled is a cluster in which a Deployment has rolled out.
func rolled(t failer, d *appsv1.Deployment) *Cluster {
	t.Helper()
	c := NewCluster(1, 2)
	must[*appsv1.Deployment](t)(create(c.Store, d))
	tickUntil(t, c, "the first rollout", rolledOut(c))
	return c
}

func messages(c *Cluster, reason string) []string {
	var all []string
	for _, r := range c.Log.records {
		if r.Reason == reason {
			all = append(all, r.Message)
		}
	}
	return all
}

func mustFail(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}

func parse(t failer, selector string) labels.Selector {
	t.Helper()
	return must[labels.Selector](t)(labels.Parse(selector))
}
