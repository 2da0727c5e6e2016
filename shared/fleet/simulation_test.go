package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// world is a namespace with one Fleet in it, and an operator that carries its plans out one effect at a time. It keeps
// its own account of which pods are live and available, so as not to take the decision's word for it.
type world struct {
	Observed
	serial int
	story  []string

	// plan is the one being carried out, outcome what came of it so far, effects what is left of it, and limits what
	// they must keep.
	plan    *Plan
	outcome Outcome
	effects []effect
	limits  limits
}

// effect is one request to the API server.
type effect struct {
	name  string
	apply func()
	// check returns what is wrong after the effect; nil for an effect that no bound speaks of.
	check func() error
}

// limits are what a plan's effects must keep, of the moment when it was made.
type limits struct {
	maxLive, minAvailable, available int
}

// goodVersions are of templates that come up, brokenVersions of those that never do.
var (
	goodVersions   = []string{"v1", "v2", "v3"}
	brokenVersions = []string{"broken1", "broken2"}
	allVersions    = slices.Concat(goodVersions, brokenVersions)
)

func comesUp(pod *corev1.Pod) bool {
	return Live(pod) && !slices.Contains(brokenVersions, versionOf(pod.Spec))
}

// tell adds to the story that a failing test prints.
func (w *world) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf(format, args...))
}

func (w *world) String() string {
	var b strings.Builder
	for _, line := range w.story {
		fmt.Fprintln(&b, line)
	}
	spec, status := w.Fleet.Spec, w.Fleet.Status
	fmt.Fprintf(&b, "wants %d of %s, %s %+v, paused %t, minReady %ds\n", *spec.Replicas,
		versionOf(spec.Template.Spec), spec.Strategy.Type, BoundsOf(w.Fleet), spec.Paused, spec.MinReadySeconds)
	fmt.Fprintf(&b, "current %s, update %s, %d live, %d available\n",
		status.CurrentRevision, status.UpdateRevision, len(w.live()), w.available())
	for _, pod := range w.Pods {
		fmt.Fprintf(&b, "%s\n", w.podInWords(pod))
	}
	return b.String()
}

func (w *world) podInWords(pod *corev1.Pod) string {
	_, isReady := readySince(pod)
	return fmt.Sprintf("%s: %s %s, own %t, matching %t, ready %t, terminating %t", pod.Name, versionOf(pod.Spec),
		pod.Status.Phase, w.owns(pod), w.matches(pod), isReady, pod.DeletionTimestamp != nil)
}

// The world's own account.

func (w *world) owns(pod *corev1.Pod) bool {
	return len(pod.OwnerReferences) > 0 && pod.OwnerReferences[0].UID == w.Fleet.UID
}

func (w *world) matches(pod *corev1.Pod) bool { return pod.Labels["app"] == "web" }

func (w *world) ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func (w *world) live() []*corev1.Pod {
	return filter(w.Pods, func(pod *corev1.Pod) bool {
		return w.owns(pod) && w.matches(pod) && pod.DeletionTimestamp == nil && !w.ended(pod)
	})
}

func (w *world) available() int {
	return count(w.live(), func(pod *corev1.Pod) bool {
		i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
		if i < 0 || pod.Status.Conditions[i].Status != corev1.ConditionTrue {
			return false
		}
		readyFor := w.Now.Sub(pod.Status.Conditions[i].LastTransitionTime.Time)
		return readyFor.Seconds() >= float64(w.Fleet.Spec.MinReadySeconds)
	})
}

func (w *world) pod(uid types.UID) *corev1.Pod {
	i := slices.IndexFunc(w.Pods, func(pod *corev1.Pod) bool { return pod.UID == uid })
	if i < 0 {
		return nil
	}
	return w.Pods[i]
}

func (w *world) remove(pod *corev1.Pod) {
	w.Pods = slices.DeleteFunc(w.Pods, func(other *corev1.Pod) bool { return other == pod })
}

// The operator.

// operate does the next effect of the plan, or stores the status when there is none left, or makes another plan.
func (w *world) operate(t *rapid.T) {
	if w.plan == nil {
		w.look(t)
		return
	}
	if len(w.effects) == 0 {
		w.store()
		return
	}
	next := w.effects[0]
	w.effects = w.effects[1:]
	w.tell("  %s", next.name)
	next.apply()
	if next.check == nil {
		return
	}
	if err := next.check(); err != nil {
		t.Fatalf("%s: %v\n%s", next.name, err, w)
	}
}

// round makes a plan and carries it out to the end.
func (w *world) round(t *rapid.T) Plan {
	w.interrupted()
	w.look(t)
	plan := *w.plan
	for w.plan != nil {
		w.operate(t)
	}
	return plan
}

// interrupted is an operator that does not finish its plan, because it ended or because what the plan was made from is
// no longer so.
func (w *world) interrupted() { w.plan, w.effects = nil, nil }

func (w *world) look(t *rapid.T) {
	plan := Decide(copyOf(w.Observed))
	w.plan, w.outcome = &plan, Outcome{}
	w.limits = w.measure()
	w.tell("plan: %s", inWords(plan))
	w.effects = slices.Concat(w.claims(plan), w.revisionWrites(plan), w.podWrites(t, plan), w.prunes(plan))
}

// measure takes the limits of a plan that claims every matching pod that nobody controls.
func (w *world) measure() limits {
	claimed := &world{Observed: copyOf(w.Observed)}
	for _, pod := range claimed.Pods {
		if len(pod.OwnerReferences) == 0 {
			pod.OwnerReferences = []metav1.OwnerReference{AdoptionOf(w.Fleet)}
		}
	}
	bounds := BoundsOf(w.Fleet)
	return limits{maxLive: bounds.MaxLive, minAvailable: bounds.MinAvailable, available: claimed.available()}
}

func (w *world) store() {
	status := written(Status(copyOf(w.Observed), *w.plan, w.outcome))
	w.Fleet.Status = status
	w.plan = nil
}

func (w *world) claims(plan Plan) (effects []effect) {
	for _, seen := range plan.Adopt {
		effects = append(effects, effect{name: "adopt " + seen.Name, apply: func() {
			if pod := w.pod(seen.UID); pod != nil {
				pod.OwnerReferences = []metav1.OwnerReference{AdoptionOf(w.Fleet)}
			}
		}})
	}
	for _, seen := range plan.Release {
		effects = append(effects, effect{name: "release " + seen.Name, apply: func() {
			if pod := w.pod(seen.UID); pod != nil {
				pod.OwnerReferences = nil
			}
		}})
	}
	return effects
}

func (w *world) revision(name string) *appsv1.ControllerRevision {
	i := slices.IndexFunc(w.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return w.Revisions[i]
}

func (w *world) revisionWrites(plan Plan) (effects []effect) {
	for _, seen := range plan.AdoptRevisions {
		effects = append(effects, effect{name: "adopt " + seen.Name, apply: func() {
			w.revision(seen.Name).OwnerReferences = []metav1.OwnerReference{AdoptionOf(w.Fleet)}
		}})
	}
	if created := plan.NewRevision; created != nil {
		effects = append(effects, effect{name: "create " + created.Name, apply: func() {
			if w.revision(created.Name) != nil {
				w.outcome.Collision, w.effects = true, nil
				return
			}
			w.Revisions = append(w.Revisions, created.DeepCopy())
		}})
	}
	if renumber := plan.Renumber; renumber != nil {
		effects = append(effects, effect{name: "renumber " + renumber.Revision.Name, apply: func() {
			w.revision(renumber.Revision.Name).Revision = renumber.Number
		}})
	}
	return effects
}

func (w *world) removeRevision(revision *appsv1.ControllerRevision) {
	w.Revisions = slices.DeleteFunc(w.Revisions, func(other *appsv1.ControllerRevision) bool { return other == revision })
}

func (w *world) prunes(plan Plan) (effects []effect) {
	for _, seen := range plan.Prune {
		effects = append(effects, effect{name: "prune " + seen.Name, apply: func() {
			w.removeRevision(w.revision(seen.Name))
		}})
	}
	return effects
}

// podWrites are the creations and deletions of a plan, in any order.
func (w *world) podWrites(t *rapid.T, plan Plan) []effect {
	rolling := w.Fleet.Spec.Paused || w.Fleet.Spec.Strategy.Type != v1alpha1.RecreateStrategy
	var effects []effect
	for _, creation := range plan.Create {
		for range creation.Count {
			effects = append(effects, w.creation(creation.Revision, rolling))
		}
	}
	for _, deletion := range plan.Delete {
		effects = append(effects, w.deletion(deletion, rolling))
	}
	for i := range effects {
		j := rapid.IntRange(i, len(effects)-1).Draw(t, "which is next")
		effects[i], effects[j] = effects[j], effects[i]
	}
	return effects
}

func (w *world) creation(revision *appsv1.ControllerRevision, rolling bool) effect {
	var created *corev1.Pod
	return effect{
		name:  "create a pod of " + versionOfRevision(revision),
		apply: func() { created = w.create(revision) },
		check: func() error {
			if live := len(w.live()); live > w.limits.maxLive {
				return fmt.Errorf("%d pods are live, and %d may be", live, w.limits.maxLive)
			}
			if rolling {
				return nil
			}
			for _, pod := range w.Pods {
				if w.owns(pod) && !w.ended(pod) && w.matches(pod) && versionOf(pod.Spec) != versionOf(created.Spec) {
					return fmt.Errorf("the old pod %s may still be running", pod.Name)
				}
			}
			return nil
		},
	}
}

func (w *world) deletion(deletion Deletion, rolling bool) effect {
	return effect{
		name: fmt.Sprintf("delete %s, which is %s", deletion.Pod.Name, deletion.Why),
		apply: func() {
			if pod := w.pod(deletion.Pod.UID); pod != nil {
				pod.DeletionTimestamp = ptr.To(metav1.NewTime(w.Now))
			}
		},
		check: func() error {
			if !Live(deletion.Pod) {
				return fmt.Errorf("%s was not live", w.podInWords(deletion.Pod))
			}
			least := min(w.limits.available, w.limits.minAvailable)
			if now := w.available(); now < least && (rolling || deletion.Why != Outdated) {
				return fmt.Errorf("%d pods are available, and %d must be", now, least)
			}
			return nil
		},
	}
}

func (w *world) create(revision *appsv1.ControllerRevision) *corev1.Pod {
	pod, err := NewPod(w.Fleet, revision)
	if err != nil {
		panic(err)
	}
	w.serial++
	pod.Name = fmt.Sprintf("%s%04d", pod.GenerateName, w.serial)
	pod.UID = types.UID(pod.Name)
	pod.CreationTimestamp = metav1.NewTime(w.Now)
	pod.Status.Phase = corev1.PodPending
	w.Pods = append(w.Pods, pod)
	return pod
}

// The outside.

// harmless are events that leave a plan as good as it was; harmful are those after which it may break the bounds, so
// that the operator has to look again. What protects a real operator there are its expectations and preconditions.
func (w *world) harmless() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"time passes":       func(t *rapid.T) { w.pass(time.Duration(rapid.IntRange(1, 20).Draw(t, "seconds")) * time.Second) },
		"a pod comes up":    func(t *rapid.T) { w.toOne(t, comesUp, w.comeUp) },
		"a pod is gone":     func(t *rapid.T) { w.toOne(t, func(p *corev1.Pod) bool { return !Live(p) }, w.remove) },
		"an orphan appears": w.orphanAppears,
		"the template":      func(t *rapid.T) { wants(rapid.SampledFrom(allVersions).Draw(t, "version"))(&w.Observed) },
		"replicas":          func(t *rapid.T) { w.Fleet.Spec.Replicas = ptr.To(anyReplicas.Draw(t, "replicas")) },
		"the strategy":      func(t *rapid.T) { anyStrategy(t)(&w.Observed) },
		"a revision's labels": func(t *rapid.T) {
			w.toOneRevision(t, func(r *appsv1.ControllerRevision) { delete(r.Labels, "app") })
		},
		"paused":              func(t *rapid.T) { w.Fleet.Spec.Paused = rapid.Bool().Draw(t, "paused") },
		"the history's limit": func(t *rapid.T) { historyLimit(rapid.Int32Range(0, 3).Draw(t, "limit"))(&w.Observed) },
	}
}

func (w *world) harmful() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"minReadySeconds":         func(t *rapid.T) { w.Fleet.Spec.MinReadySeconds = anyMinReady.Draw(t, "minReadySeconds") },
		"a pod becomes unready":   func(t *rapid.T) { w.toOne(t, Live, unready) },
		"a pod is evicted":        func(t *rapid.T) { w.toOne(t, Live, failed) },
		"a pod is deleted":        func(t *rapid.T) { w.toOne(t, Live, terminating) },
		"a pod changes its label": func(t *rapid.T) { w.toOne(t, Live, relabelled) },
		"a revision is deleted":   func(t *rapid.T) { w.toOneRevision(t, w.removeRevision) },
		"the operator ends":       func(*rapid.T) {},
	}
}

// repeat lets the operator and the outside take turns at random.
func (w *world) repeat(t *rapid.T, outside map[string]func(*rapid.T)) {
	names := slices.Sorted(maps.Keys(outside))
	t.Repeat(map[string]func(*rapid.T){
		"operator": w.operate,
		"outside": func(t *rapid.T) {
			name := rapid.SampledFrom(names).Draw(t, "what")
			w.tell("%s", name)
			outside[name](t)
			if _, harms := w.harmful()[name]; harms {
				w.interrupted()
			}
		},
	})
}

func (w *world) anything() map[string]func(*rapid.T) {
	all := w.harmless()
	maps.Copy(all, w.harmful())
	return all
}

func (w *world) pass(d time.Duration) { w.Now = w.Now.Add(d) }

func (w *world) comeUp(pod *corev1.Pod) {
	if !ready(pod) {
		readySinceTime(w.Now)(pod)
	}
}

// toOne lets something happen to one of some pods, if there are any.
func (w *world) toOne(t *rapid.T, which func(*corev1.Pod) bool, happen func(*corev1.Pod)) {
	if some := filter(w.Pods, which); len(some) > 0 {
		pod := some[rapid.IntRange(0, len(some)-1).Draw(t, "which pod")]
		happen(pod)
		w.tell("  to %s", w.podInWords(pod))
	}
}

func (w *world) toOneRevision(t *rapid.T, happen func(*appsv1.ControllerRevision)) {
	if len(w.Revisions) > 0 {
		happen(w.Revisions[rapid.IntRange(0, len(w.Revisions)-1).Draw(t, "which revision")])
	}
}

func relabelled(pod *corev1.Pod) {
	if pod.Labels["app"] == "web" {
		pod.Labels["app"] = "quarantine"
	} else {
		pod.Labels["app"] = "web"
	}
}

func (w *world) orphanAppears(t *rapid.T) {
	pod := w.create(revisionOf(w.Fleet, rapid.SampledFrom(allVersions).Draw(t, "version"), 0))
	orphan(pod)
	if rapid.Bool().Draw(t, "by other means") {
		withoutHash(pod)
	}
}

// calm is a world in which nothing happens any more but what the operator and the nodes do: the pods of templates that
// come up do so, and those that are leaving go.
func (w *world) calm() {
	w.pass(time.Duration(w.Fleet.Spec.MinReadySeconds+1) * time.Second)
	for _, pod := range slices.Clone(w.Pods) {
		switch {
		case pod.DeletionTimestamp != nil:
			w.remove(pod)
		case comesUp(pod):
			w.comeUp(pod)
		}
	}
	w.pass(time.Duration(w.Fleet.Spec.MinReadySeconds+1) * time.Second)
}

// patience is how many rounds a world may take to settle: some for each pod that there is or has to be.
func (w *world) patience() int { return 10 + 3*(len(w.Pods)+int(*w.Fleet.Spec.Replicas)) }

// What a world can begin as.

var (
	anyReplicas = rapid.Int32Range(0, 6)
	anyMinReady = rapid.SampledFrom([]int32{0, 10})
)

func anyStrategy(t *rapid.T) fact {
	switch rapid.IntRange(0, 3).Draw(t, "strategy") {
	case 0:
		return recreating
	case 1:
		return func(s *Observed) { s.Fleet.Spec.Strategy = v1alpha1.FleetStrategy{} }
	default:
		return anyBounds(t)
	}
}

// anyWorld has pods and revisions of any kind, and a status that need not be true of them.
func anyWorld(t *rapid.T) *world {
	w := &world{Observed: given(
		replicas(anyReplicas.Draw(t, "replicas")),
		wants(rapid.SampledFrom(allVersions).Draw(t, "template")),
		minReadySeconds(anyMinReady.Draw(t, "minReadySeconds")),
		historyLimit(rapid.Int32Range(0, 3).Draw(t, "history limit")),
		anyStrategy(t),
		later(123456789*time.Nanosecond),
	)}
	w.Fleet.Spec.Paused = rapid.Bool().Draw(t, "paused")
	if rapid.Bool().Draw(t, "published") {
		wantsZone("fleet.test")(&w.Observed)
		heldFor("fleet.test.")(&w.Observed)
	}
	w.beginWithRevisions(t)
	for range rapid.IntRange(0, 9).Draw(t, "pods") {
		w.beginWithPod(t)
	}
	w.Fleet.Status = anyStatus(t)
	return w
}

func (w *world) beginWithRevisions(t *rapid.T) {
	for _, version := range allVersions {
		kind := rapid.SampledFrom([]string{"none", "own", "orphan"}).Draw(t, "revision")
		if kind == "none" {
			continue
		}
		revision := revisionOf(w.Fleet, version, rapid.Int64Range(1, 4).Draw(t, "number"))
		if kind == "orphan" {
			revision.OwnerReferences = nil
		}
		w.Revisions = append(w.Revisions, revision)
	}
}

func (w *world) beginWithPod(t *rapid.T) {
	pod := w.create(revisionOf(w.Fleet, rapid.SampledFrom(allVersions).Draw(t, "version"), 0))
	states := []trait{unassigned, starting, unready, failed, succeeded, readyFor(5 * time.Second), readyFor(time.Hour)}
	rapid.SampledFrom(states).Draw(t, "state")(pod)
	as := func(*corev1.Pod) {}
	rapid.SampledFrom([]trait{as, as, as, orphan, foreign, quarantined, withoutHash}).Draw(t, "belonging")(pod)
	rapid.SampledFrom([]trait{as, as, as, terminating}).Draw(t, "leaving")(pod)
}

func anyStatus(t *rapid.T) v1alpha1.FleetStatus {
	names := []string{"", "web-unknown"}
	for _, version := range allVersions {
		names = append(names, nameOf(version))
	}
	counted := rapid.Int32Range(0, 8)
	status := v1alpha1.FleetStatus{
		CurrentRevision:   rapid.SampledFrom(names).Draw(t, "current revision"),
		UpdateRevision:    rapid.SampledFrom(names).Draw(t, "update revision"),
		Replicas:          counted.Draw(t, "replicas"),
		UpdatedReplicas:   counted.Draw(t, "updated"),
		ReadyReplicas:     counted.Draw(t, "ready"),
		AvailableReplicas: counted.Draw(t, "available"),
		Conditions: []metav1.Condition{{Type: "example.com/Audited", Status: metav1.ConditionTrue, Reason: "Yearly"}, {
			Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionUnknown, Reason: rapid.SampledFrom([]string{
				v1alpha1.ReasonPaused, v1alpha1.ReasonRollingOut, v1alpha1.ReasonRolledOut,
				v1alpha1.ReasonProgressDeadlineExceeded, v1alpha1.ReasonFailedCreateRevision,
			}).Draw(t, "progressing"),
		}},
	}
	if rapid.Bool().Draw(t, "reconciling") {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRollingOut,
		})
	}
	if rapid.Bool().Draw(t, "has progressed") {
		ago := 3 * time.Minute * time.Duration(counted.Draw(t, "three minutes ago"))
		status.LastProgressTime = ptr.To(metav1.NewTime(noon.Add(-ago)))
	}
	return written(status)
}
