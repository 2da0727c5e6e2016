package fleet

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// noon is when a situation is looked at, unless time has passed.
var noon = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// A fact is a part of what a reconcile sees. Facts in a row tell a situation, in the order in which it came about.
type fact func(*Observed)

// given is a situation: a Fleet of three pods that is otherwise as the schema defaults it, and the facts about it.
func given(facts ...fact) Observed {
	return then(Observed{Fleet: newFleet(), Now: noon}, facts...)
}

// then is a situation in which more has come about. The earlier one stays as it is.
func then(seen Observed, facts ...fact) Observed {
	seen = copyOf(seen)
	for _, add := range facts {
		add(&seen)
	}
	return seen
}

func copyOf(seen Observed) Observed {
	return Observed{
		Fleet:     seen.Fleet.DeepCopy(),
		Pods:      copies(seen.Pods, (*corev1.Pod).DeepCopy),
		Revisions: copies(seen.Revisions, (*appsv1.ControllerRevision).DeepCopy),
		Siblings:  copies(seen.Siblings, (*v1alpha1.Fleet).DeepCopy),
		Now:       seen.Now,
	}
}

func copies[T any](originals []T, deepCopy func(T) T) []T {
	var all []T
	for _, original := range originals {
		all = append(all, deepCopy(original))
	}
	return all
}

// stored is a situation in which the operator has carried its plan out as far as the status.
func stored(seen Observed) Observed {
	status := Status(seen, Decide(seen), Outcome{})
	return then(seen, func(s *Observed) { s.Fleet.Status = written(status) })
}

// written is a status as the API server gives it back.
func written(status v1alpha1.FleetStatus) v1alpha1.FleetStatus {
	data, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	var read v1alpha1.FleetStatus
	if err := json.Unmarshal(data, &read); err != nil {
		panic(err)
	}
	return read
}

func newFleet() *v1alpha1.Fleet {
	return &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid-of-web", Generation: 1},
		Spec: v1alpha1.FleetSpec{
			Replicas: ptr.To[int32](3),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: template("v1"),
			Strategy: v1alpha1.FleetStrategy{Type: v1alpha1.RollingUpdateStrategy},
		},
	}
}

func template(version string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: version}}},
	}
}

// versionOf is what a template is called in these tests.
func versionOf(spec corev1.PodSpec) string { return spec.Containers[0].Image }

func versionOfRevision(revision *appsv1.ControllerRevision) string {
	template, err := templateOf(revision)
	if err != nil {
		panic(err)
	}
	return versionOf(template.Spec)
}

func revisionOf(f *v1alpha1.Fleet, version string, number int64) *appsv1.ControllerRevision {
	f = f.DeepCopy()
	f.Spec.Template = template(version)
	f.Status.CollisionCount = nil
	return newRevision(f, number)
}

func nameOf(version string) string { return revisionOf(newFleet(), version, 0).Name }

// Facts about the spec.

func replicas(n int32) fact { return func(s *Observed) { s.Fleet.Spec.Replicas = &n } }

func bounded(surge, unavailable string) fact {
	return func(s *Observed) {
		s.Fleet.Spec.Strategy = v1alpha1.FleetStrategy{
			Type: v1alpha1.RollingUpdateStrategy,
			RollingUpdate: &v1alpha1.FleetRollingUpdate{
				MaxSurge:       ptr.To(intstr.Parse(surge)),
				MaxUnavailable: ptr.To(intstr.Parse(unavailable)),
			},
		}
	}
}

func recreating(s *Observed) {
	s.Fleet.Spec.Strategy = v1alpha1.FleetStrategy{Type: v1alpha1.RecreateStrategy}
}

func paused(s *Observed)  { s.Fleet.Spec.Paused = true }
func resumed(s *Observed) { s.Fleet.Spec.Paused = false }

func minReadySeconds(n int32) fact { return func(s *Observed) { s.Fleet.Spec.MinReadySeconds = n } }

func deadline(seconds int32) fact {
	return func(s *Observed) { s.Fleet.Spec.ProgressDeadlineSeconds = &seconds }
}

func historyLimit(n int32) fact { return func(s *Observed) { s.Fleet.Spec.RevisionHistoryLimit = &n } }

func wants(version string) fact {
	return func(s *Observed) { s.Fleet.Spec.Template = template(version) }
}

func wantsZone(name string) fact {
	return func(s *Observed) { s.Fleet.Spec.DNS = &v1alpha1.FleetDNS{Zone: name} }
}

func selecting(selector metav1.LabelSelector) fact {
	return func(s *Observed) { s.Fleet.Spec.Selector = &selector }
}

// Facts about the Fleet as an object.

func generation(n int64) fact { return func(s *Observed) { s.Fleet.Generation = n } }

func deleting(s *Observed) {
	s.Fleet.DeletionTimestamp = ptr.To(metav1.NewTime(noon))
}

func heldFor(zone string) fact {
	return func(s *Observed) {
		s.Fleet.Finalizers = WithDNSFinalizer(s.Fleet.Finalizers)
		metav1.SetMetaDataAnnotation(&s.Fleet.ObjectMeta, v1alpha1.DNSZoneAnnotation, zone)
	}
}

func says(kind string, value metav1.ConditionStatus, reason string) fact {
	return func(s *Observed) {
		s.Fleet.Status.Conditions = append(s.Fleet.Status.Conditions, metav1.Condition{
			Type: kind, Status: value, Reason: reason, Message: "in words", LastTransitionTime: metav1.NewTime(noon),
		})
	}
}

func sibling(name string, facts ...fact) fact {
	return func(s *Observed) {
		other := given(facts...).Fleet
		other.Name, other.UID = name, types.UID("uid-of-"+name)
		s.Siblings = append(s.Siblings, other)
	}
}

// Facts about the history.

// revisions are in the history, each newer than the one before.
func revisions(versions ...string) fact {
	return func(s *Observed) {
		for _, version := range versions {
			s.Revisions = append(s.Revisions, revisionOf(s.Fleet, version, int64(len(s.Revisions)+1)))
		}
	}
}

// numbered gives the newest revision a number.
func numbered(n int64) fact {
	return func(s *Observed) { s.Revisions[len(s.Revisions)-1].Revision = n }
}

// rolledOut is a version that all pods had at some time, and that is wanted.
func rolledOut(version string) fact {
	return func(s *Observed) {
		revisions(version)(s)
		wants(version)(s)
		s.Fleet.Status.CurrentRevision = nameOf(version)
		s.Fleet.Status.UpdateRevision = nameOf(version)
	}
}

// rollingTo is a version that is wanted and has a revision, and that not all pods have had yet.
func rollingTo(version string) fact {
	return func(s *Observed) {
		revisions(version)(s)
		wants(version)(s)
		s.Fleet.Status.UpdateRevision = nameOf(version)
	}
}

// Facts about time and pods.

func later(d time.Duration) fact { return func(s *Observed) { s.Now = s.Now.Add(d) } }

// A trait is how a pod differs from one that the Fleet owns and that has been ready for an hour.
type trait func(*corev1.Pod)

func pods(n int, version string, traits ...trait) fact {
	return func(s *Observed) {
		for range n {
			s.Pods = append(s.Pods, newTestPod(s.Fleet, version, fmt.Sprintf("pod-%02d", len(s.Pods)), traits...))
		}
	}
}

func newTestPod(f *v1alpha1.Fleet, version, name string, traits ...trait) *corev1.Pod {
	pod, err := NewPod(f, revisionOf(f, version, 0))
	if err != nil {
		panic(err)
	}
	pod.Name, pod.UID = name, types.UID("uid-of-"+name)
	pod.CreationTimestamp = metav1.NewTime(noon.Add(-2 * time.Hour))
	readySinceTime(noon.Add(-time.Hour))(pod)
	for _, has := range traits {
		has(pod)
	}
	return pod
}

// become gives all pods of a version a trait.
func become(version string, has trait) fact {
	return func(s *Observed) {
		for _, pod := range s.Pods {
			if versionOf(pod.Spec) == version {
				has(pod)
			}
		}
	}
}

// gone are the first pods of a version.
func gone(n int, version string) fact {
	return func(s *Observed) {
		s.Pods = filter(s.Pods, func(pod *corev1.Pod) bool {
			if versionOf(pod.Spec) != version || n == 0 {
				return true
			}
			n--
			return false
		})
	}
}

func readySinceTime(since time.Time) trait {
	return func(pod *corev1.Pod) {
		pod.Spec.NodeName = "node"
		pod.Status.Phase = corev1.PodRunning
		setReady(pod, corev1.ConditionTrue, since)
	}
}

func setReady(pod *corev1.Pod, value corev1.ConditionStatus, since time.Time) {
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
		{Type: corev1.PodReady, Status: value, LastTransitionTime: metav1.NewTime(since)},
	}
}

func readyFor(d time.Duration) trait { return readySinceTime(noon.Add(-d)) }

func unready(pod *corev1.Pod) { setReady(pod, corev1.ConditionFalse, noon) }

func starting(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = nil
}

func unassigned(pod *corev1.Pod) {
	starting(pod)
	pod.Spec.NodeName = ""
}

func terminating(pod *corev1.Pod) { pod.DeletionTimestamp = ptr.To(metav1.NewTime(noon)) }
func failed(pod *corev1.Pod)      { pod.Status.Phase = corev1.PodFailed }
func succeeded(pod *corev1.Pod)   { pod.Status.Phase = corev1.PodSucceeded }

func orphan(pod *corev1.Pod) { pod.OwnerReferences = nil }

func foreign(pod *corev1.Pod) { pod.OwnerReferences[0].UID = "uid-of-another" }

func quarantined(pod *corev1.Pod) { pod.Labels["app"] = "quarantine" }

func withoutHash(pod *corev1.Pod) { delete(pod.Labels, appsv1.ControllerRevisionHashLabelKey) }

func costing(n int) trait {
	return func(pod *corev1.Pod) {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, corev1.PodDeletionCost, fmt.Sprint(n))
	}
}

func createdAt(at time.Time) trait {
	return func(pod *corev1.Pod) { pod.CreationTimestamp = metav1.NewTime(at) }
}

func named(name string) trait { return func(pod *corev1.Pod) { pod.Name = name } }

func at(addresses ...string) trait {
	return func(pod *corev1.Pod) {
		for _, address := range addresses {
			pod.Status.PodIPs = append(pod.Status.PodIPs, corev1.PodIP{IP: address})
		}
	}
}

// decision is a situation, and the plan for it in words.
type decision struct {
	name string
	seen Observed
	want string
}

func decide(t *testing.T, decisions []decision) {
	t.Helper()
	for _, d := range decisions {
		t.Run(d.name, func(t *testing.T) {
			if got := inWords(Decide(d.seen)); got != d.want {
				t.Errorf("decided to %s; want %s", got, d.want)
			}
		})
	}
}

// inWords tells a plan as in "revision v2, create 1 v2, delete 1 v1 (outdated)".
func inWords(plan Plan) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }

	tally(plan.Adopt, func(pod *corev1.Pod) string { return versionOf(pod.Spec) }, "adopt %d %s", add)
	tally(plan.Release, func(pod *corev1.Pod) string { return versionOf(pod.Spec) }, "release %d %s", add)
	for _, revision := range plan.AdoptRevisions {
		add("adopt revision %s", versionOfRevision(revision))
	}
	if plan.NewRevision != nil {
		add("revision %s", versionOfRevision(plan.NewRevision))
	}
	if plan.Renumber != nil {
		add("renumber %s to %d", versionOfRevision(plan.Renumber.Revision), plan.Renumber.Number)
	}
	for _, creation := range plan.Create {
		add("create %d %s", creation.Count, versionOfRevision(creation.Revision))
	}
	tally(plan.Delete, func(d Deletion) string { return fmt.Sprintf("%s (%s)", versionOf(d.Pod.Spec), d.Why) },
		"delete %d %s", add)
	for _, revision := range plan.Prune {
		add("prune %s", versionOfRevision(revision))
	}
	if plan.Empty() != (len(words) == 0) {
		panic(fmt.Sprintf("Empty() is %t for a plan to %v", plan.Empty(), words))
	}
	if len(words) == 0 {
		return "do nothing"
	}
	return strings.Join(words, ", ")
}

// tally counts items of one kind, in the order in which the kinds first appear.
func tally[T any](items []T, kind func(T) string, format string, add func(string, ...any)) {
	var kinds []string
	counts := map[string]int{}
	for _, item := range items {
		if counts[kind(item)] == 0 {
			kinds = append(kinds, kind(item))
		}
		counts[kind(item)]++
	}
	for _, k := range kinds {
		add(format, counts[k], k)
	}
}
