package differential

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A journey is what both sides are led through: a size, a strategy, and the bounds that these come to.
type journey struct {
	replicas              int32
	surge, unavailable    string // none for Recreate
	maxPods, minAvailable int
}

var journeys = []journey{
	{replicas: 3, surge: "1", unavailable: "0", maxPods: 4, minAvailable: 3},
	{replicas: 3, surge: "0", unavailable: "1", maxPods: 3, minAvailable: 2},
	{replicas: 3, surge: "2", unavailable: "2", maxPods: 5, minAvailable: 1},
	{replicas: 3, surge: "0%", unavailable: "25%", maxPods: 3, minAvailable: 2}, // both round to 0
	{replicas: 4, surge: "25%", unavailable: "25%", maxPods: 5, minAvailable: 3},
	{replicas: 5, surge: "25%", unavailable: "25%", maxPods: 7, minAvailable: 4},
	{replicas: 5, surge: "100%", unavailable: "0", maxPods: 10, minAvailable: 5},
	{replicas: 5, surge: "0", unavailable: "100%", maxPods: 5, minAvailable: 0},
	{replicas: 4, surge: "100%", unavailable: "100%", maxPods: 8, minAvailable: 0},
	{replicas: 7, surge: "3", unavailable: "2", maxPods: 10, minAvailable: 5},
	{replicas: 10, surge: "30%", unavailable: "10%", maxPods: 13, minAvailable: 9},
	{replicas: 1, surge: "25%", unavailable: "25%", maxPods: 2, minAvailable: 1},
	{replicas: 2, surge: "0", unavailable: "7", maxPods: 2, minAvailable: 0},
	{replicas: 0, surge: "25%", unavailable: "25%", maxPods: 0, minAvailable: 0},
	{replicas: 3, maxPods: 3},
}

func (j journey) name() string {
	if j.surge == "" {
		return fmt.Sprintf("%d, Recreate", j.replicas)
	}
	return fmt.Sprintf("%d, surge %s, unavailable %s", j.replicas, j.surge, j.unavailable)
}

func (j journey) deployment(replicas int32) *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: podTemplate("web", "web:1.0"),
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
		},
	}
	if j.surge != "" {
		surge, unavailable := intstr.Parse(j.surge), intstr.Parse(j.unavailable)
		d.Spec.Strategy = appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable},
		}
	}
	return d
}

func podTemplate(app, image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: image}}},
	}
}

// TestRollouts leads both sides through the same steps. Each makes the same scalings in the same order, and comes to rest
// in the same states.
func TestRollouts(t *testing.T) {
	for _, j := range journeys {
		t.Run(j.name(), func(t *testing.T) {
			t.Parallel()
			p := newPair(t, j)
			p.settle("create")

			p.scale(j.replicas)
			p.settle("scale up")

			p.setImage("web:2.0")
			p.settle("set image")
			p.requireBounds()

			p.undo()
			p.settle("roll back")
			p.requireBounds()

			p.setImage("web:broken")
			p.settle("a broken image")
			p.requireBounds()

			p.scale(2*j.replicas + 3)
			p.settle("scale up in the middle of a rollout")

			p.scale(j.replicas + 1)
			p.settle("scale down in the middle of a rollout")

			p.undo()
			p.settle("undo a broken image")

			p.setImage("web:3.0")
			p.rest()
			p.setImage("web:4.0")
			p.settle("an image on top of another")

			p.scale(0)
			p.settle("scale to zero")

			p.setImage("web:5.0")
			p.settle("set image of nothing")

			p.scale(j.replicas)
			p.settle("scale up from zero")
			p.actual.awaitEvents()
		})
	}
}

// pair is both sides, in step.
type pair struct {
	t      *testing.T
	model  *model
	actual *actual
	journey
}

// newPair creates a Deployment, with one replica less than the journey has, or with none.
func newPair(t *testing.T, j journey) *pair {
	p := &pair{t: t, actual: newActual(t), journey: j}
	p.model = newModel(t, p.actual.create(j.deployment(max(0, j.replicas-1))))
	return p
}

func (p *pair) begin() {
	p.model.begin()
	p.actual.begin()
}

func (p *pair) scale(replicas int32) {
	p.t.Helper()
	p.begin()
	p.model.scale(replicas)
	p.actual.scale(replicas)
}

func (p *pair) setImage(image string) {
	p.t.Helper()
	p.begin()
	p.model.setImage(image)
	p.actual.setImage(image)
}

func (p *pair) undo() {
	p.t.Helper()
	p.begin()
	p.model.undo()
	p.actual.undo()
}

// rest returns when both sides have done what they can with the pods that are ready.
func (p *pair) rest() {
	p.t.Helper()
	p.model.rest()
	p.actual.awaitState(p.model.objects().state())
}

// settle makes pods ready, a ReplicaSet's at a time, until that leads to nothing more, and compares the scalings.
func (p *pair) settle(step string) {
	p.t.Helper()
	for {
		p.rest()
		set := p.model.objects().nextBatch()
		if set == "" {
			break
		}
		p.model.makeReady(set)
		p.actual.makeReady(set)
	}
	if diff := cmp.Diff(p.actual.scalings(), p.model.scalings()); diff != "" {
		p.t.Fatalf("%s (-Kubernetes +minictl):\n%s", step, diff)
	}
}

// requireBounds compares what was seen since begin with the strategy's bounds. A rollout asks for no more pods than it
// may, and at no time are fewer ready than there must be.
func (p *pair) requireBounds() {
	p.t.Helper()
	for side, seen := range map[string]extremes{"minictl": p.model.seen, "Kubernetes": p.actual.extremes()} {
		if seen.MostDesired > p.maxPods || seen.FewestReady < p.minAvailable {
			p.t.Errorf("%s: as many as %d pods and as few as %d ready, want at most %d and at least %d", side,
				seen.MostDesired, seen.FewestReady, p.maxPods, p.minAvailable)
		}
	}
}
