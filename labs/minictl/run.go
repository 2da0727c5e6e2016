package minictl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// Run is a scenario while it is played. The first error ends it there and then.
type Run struct {
	*Cluster
	Parameters

	controllers []*Controller
	bounds      Bounds
	boundsFrom  int
	summary     Summary
}

// stopped is what a run panics with at its first error.
type stopped struct{ error }

// Result is what a run showed.
type Result struct {
	Scenario    string             `json:"scenario"`
	Flags       map[string]any     `json:"flags"`
	Log         []Record           `json:"log"`
	Summary     Summary            `json:"summary"`
	Controllers []ControllerResult `json:"controllers"`
	// Error is what ended the run before its end, if anything did.
	Error string `json:"error,omitempty"`

	// Samples are for a Picture, as are Bounds, which are kept from a tick on, and zero where there are none to keep.
	Samples    []Sample `json:"-"`
	Bounds     Bounds   `json:"-"`
	BoundsFrom int      `json:"-"`
}

// ControllerResult compares what a controller heard with how often it went to work.
type ControllerResult struct {
	Name string `json:"name"`
	Stats
}

// Play runs a scenario. If it fails, the result tells how far it came.
func (s Scenario) Play(p Parameters) (*Result, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	cluster := NewCluster(p.Seed, p.ReadyAfter)
	r := &Run{Cluster: cluster, Parameters: p}
	r.controllers = []*Controller{&cluster.Deployments.Controller, &cluster.ReplicaSets.Controller}
	err := s.playUntilError(r)
	result := &Result{
		Scenario:   s.Name,
		Flags:      map[string]any{},
		Log:        r.Log.records,
		Summary:    r.summary,
		Samples:    r.Samples,
		Bounds:     r.bounds,
		BoundsFrom: r.boundsFrom,
	}
	if err != nil {
		result.Error = err.Error()
	}
	for _, flag := range s.Heeds {
		result.Flags[flag] = p.flag(flag)
	}
	for _, c := range r.controllers {
		result.Controllers = append(result.Controllers, ControllerResult{c.Name, c.Stats})
	}
	return result, err
}

func (s Scenario) playUntilError(r *Run) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case stopped:
			err = reason.error
		default:
			panic(reason)
		}
	}()
	s.play(r)
	return nil
}

func (p Parameters) flag(name string) any {
	return map[string]any{
		"replicas": p.Replicas, "surge": p.Surge, "unavailable": p.Unavailable, "ready-after": p.ReadyAfter,
		"min-ready-seconds": p.MinReadySeconds, "recreate": p.Recreate, "seed": p.Seed, "ticks": p.Ticks,
	}[name]
}

const mostReplicas = 1000

// validate names the flag that is wrong, and what it may be.
func (p Parameters) validate() error {
	for _, flag := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"replicas", int(p.Replicas), 0, mostReplicas},
		{"ready-after", p.ReadyAfter, 1, 1 << 20},
		{"min-ready-seconds", int(p.MinReadySeconds), 0, defaultDeadline - 1},
		{"ticks", p.Ticks, 1, 1 << 20},
	} {
		if flag.value < flag.least || flag.value > flag.most {
			return fmt.Errorf("--%s: must be a number from %d to %d, not %d", flag.name, flag.least, flag.most, flag.value)
		}
	}
	surge, err := percentOrNumber("surge", p.Surge, anyPercent)
	if err != nil {
		return err
	}
	unavailable, err := percentOrNumber("unavailable", p.Unavailable, 100)
	if err != nil {
		return err
	}
	if surge == 0 && unavailable == 0 {
		return errors.New("--surge and --unavailable: must not both be 0, or no update could move; set one of them to 1 or more")
	}
	return nil
}

func percentOrNumber(flag string, bound intstr.IntOrString, mostPercent int) (int, error) {
	value, errs := validateBound(&bound, mostPercent, nil)
	if len(errs) > 0 {
		return 0, fmt.Errorf("--%s: %s, but is %q", flag, errs[0].Detail, bound.String())
	}
	return value, nil
}

// Print writes the log, the summary, and how many events came down to how many reconciles.
func (r *Result) Print(out io.Writer) error {
	if err := printRecords(out, r.Log); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, fact := range r.Summary {
		fmt.Fprintf(out, "%s: %s\n", fact.Key, fact)
	}
	fmt.Fprintln(out)
	for _, c := range r.Controllers {
		if _, err := fmt.Fprintf(out, "%s: %d events -> %d reconciles\n", c.Name, c.Events, c.Reconciles); err != nil {
			return err
		}
	}
	return nil
}

// Summary is what a run comes down to, in the order in which it was found out.
type Summary []Fact

// A Fact is a line of a Summary. Its value is a number, a string or a list of numbers.
type Fact struct {
	Key   string
	Value any
}

// String is the value, lists with commas.
func (f Fact) String() string {
	if numbers, ok := f.Value.([]int); ok {
		return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
	}
	return fmt.Sprint(f.Value)
}

// MarshalJSON makes an object that keeps the order.
func (s Summary) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, fact := range s {
		value, err := json.Marshal(fact.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", fact.Key, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (r *Run) note(key string, value any) { r.summary = append(r.summary, Fact{key, value}) }

// try ends the run if there is an error.
func (r *Run) try(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// need ends a run that has too few replicas for what it shows.
func (r *Run) need(replicas int32) {
	if r.Replicas < replicas {
		r.try(fmt.Errorf("--replicas: must be at least %d for this scenario", replicas))
	}
}

// until lets time pass until something is so.
func (r *Run) until(what string, isSo func() bool) {
	for !isSo() {
		if r.Clock.Tick() >= r.Ticks {
			r.try(fmt.Errorf("--ticks: %d were not enough: %s is yet to come; give more", r.Ticks, what))
		}
		r.Tick()
	}
}

// wait lets some ticks pass.
func (r *Run) wait(ticks int) {
	end := r.Clock.Tick() + ticks
	r.until(fmt.Sprintf("tick %d", end), func() bool { return r.Clock.Tick() >= end })
}

// deploy creates a Deployment and waits until it has rolled out.
func (r *Run) deploy(name, image string, change func(*appsv1.Deployment)) {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas:        ptr.To(r.Replicas),
			MinReadySeconds: r.MinReadySeconds,
			Selector:        &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template:        podTemplate(name, image),
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &r.Surge, MaxUnavailable: &r.Unavailable},
			},
		},
	}
	if r.Recreate {
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	}
	change(d)
	r.try(r.Kubectl.Create(d))
	r.untilRolledOut(name)
}

func asIs(*appsv1.Deployment) {}

func podTemplate(app, image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: image}}},
	}
}

func (r *Run) untilRolledOut(name string) {
	r.until("the end of the rollout", func() bool {
		_, done, _ := r.Kubectl.RolloutStatus(name)
		return done
	})
}

// untilReady waits until as many pods are ready, and no others are about.
func (r *Run) untilReady(pods int) {
	r.until(fmt.Sprintf("the state in which %d pods are ready", pods), func() bool {
		now := r.sample()
		return now.Total() == pods && now.Ready() == pods
	})
}

// pods are those that have not failed, by name.
func (r *Run) pods() []*corev1.Pod {
	return slices.DeleteFunc(list[*corev1.Pod](r.Store, namespace), func(pod *corev1.Pod) bool { return !isActive(pod) })
}

// aPod is the first of the pods. A scenario that needs one cannot be run with none.
func (r *Run) aPod() string {
	r.need(1)
	return r.pods()[0].Name
}

// evictAPod makes the kubelet evict the first of the pods.
func (r *Run) evictAPod() { r.try(r.Kubelet.Evict(Key{Namespace: namespace, Name: r.aPod()})) }

// since counts ticks.
func (r *Run) since(tick int) int { return r.Clock.Tick() - tick }

func (r *Run) maxPods(from int) int {
	most := 0
	for _, s := range r.Samples[from:] {
		most = max(most, s.Total())
	}
	return most
}

func (r *Run) minReady(from int) int {
	least := r.sample().Ready()
	for _, s := range r.Samples[from:] {
		least = min(least, s.Ready())
	}
	return least
}
