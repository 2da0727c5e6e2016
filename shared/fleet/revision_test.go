package fleet

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

func TestRevisions(t *testing.T) {
	orphaned := func(version string, changes ...func(*appsv1.ControllerRevision)) fact {
		return func(s *Observed) {
			revisions(version)(s)
			revision := s.Revisions[len(s.Revisions)-1]
			revision.OwnerReferences = nil
			for _, change := range changes {
				change(revision)
			}
		}
	}
	ofAnother := func(r *appsv1.ControllerRevision) { r.Name = "api-" + hashOf(r) }
	leaving := func(r *appsv1.ControllerRevision) { r.DeletionTimestamp = ptr.To(metav1.NewTime(noon)) }
	unlabelled := func(r *appsv1.ControllerRevision) { delete(r.Labels, "app") }
	everyRevision := func(change func(*appsv1.ControllerRevision)) fact {
		return func(s *Observed) {
			for _, revision := range s.Revisions {
				change(revision)
			}
		}
	}
	none := replicas(0)
	decide(t, []decision{
		{"a template seen for the first time", given(none), "revision v1"},
		{"a template that has a revision", given(none, revisions("v1")), "do nothing"},
		{"another template", given(none, revisions("v1"), wants("v2")), "revision v2"},
		{"going back reuses a revision and makes it the newest",
			given(none, revisions("v1", "v2", "v3"), wants("v1")), "renumber v1 to 4"},
		{"the newest is not renumbered", given(none, revisions("v1", "v2"), wants("v2")), "do nothing"},
		{"after the largest number there is none: it is as if paused",
			given(replicas(4), rolledOut("v1"), numbered(math.MaxInt64), pods(3, "v1"), wants("v2")), "create 1 v1"},
		{"nor one to go back with", given(none, revisions("v1", "v2"), numbered(math.MaxInt64), wants("v1")), "do nothing"},
		{"the largest number is as good as any", given(none, revisions("v1", "v2"), numbered(math.MaxInt64), wants("v2")),
			"do nothing"},
		{"a number that two revisions have is settled",
			given(none, revisions("v1", "v2"), everyRevision(func(r *appsv1.ControllerRevision) { r.Revision = 5 }),
				wants(lowerNamed("v1", "v2"))), "renumber " + lowerNamed("v1", "v2") + " to 6"},
		{"an orphan is adopted and reused", given(none, orphaned("v1")), "adopt revision v1"},
		{"an adopted orphan is renumbered like any other",
			given(none, orphaned("v1"), revisions("v2"), wants("v1")), "adopt revision v1, renumber v1 to 3"},
		{"an orphan of another Fleet's history is not", given(none, orphaned("v1", ofAnother)), "revision v1"},
		{"an orphan that is leaving is not", given(none, orphaned("v1", leaving)), "revision v1"},
		{"an orphan that does not match is not", given(none, orphaned("v1", unlabelled)), "revision v1"},
		{"an own revision stays so whatever its labels", given(none, revisions("v1"), everyRevision(unlabelled)), "do nothing"},
		{"one that cannot be read is not reused", given(none, revisions("v0", "v1"), func(s *Observed) {
			s.Revisions[0].Data = runtime.RawExtension{Raw: []byte("{")}
		}), "do nothing"},
		{"a paused Fleet stays with the newest", given(none, revisions("v1", "v2"), wants("v3"), paused), "do nothing"},
		{"a paused Fleet does not go back either", given(none, revisions("v1", "v2"), wants("v1"), paused), "do nothing"},
	})
}

// lowerNamed is whichever version's revision comes first by name.
func lowerNamed(a, b string) string {
	if nameOf(a) < nameOf(b) {
		return a
	}
	return b
}

func TestHistoryIsPruned(t *testing.T) {
	decide(t, []decision{
		{"to the limit, oldest first", given(replicas(0), historyLimit(1), revisions("v1", "v2", "v3", "v4"), wants("v4")),
			"prune v1, prune v2"},
		{"by its numbers, not by where it is in the list",
			given(replicas(0), historyLimit(1), revisions("v1", "v2", "v3"), wants("v3"), func(s *Observed) {
				s.Revisions[0], s.Revisions[1] = s.Revisions[1], s.Revisions[0]
			}), "prune v1"},
		{"not below the limit", given(replicas(0), historyLimit(3), revisions("v1", "v2", "v3", "v4"), wants("v4")),
			"do nothing"},
		{"to nothing", given(replicas(0), historyLimit(0), revisions("v1", "v2"), wants("v2")), "prune v1"},
		{"to ten by default", given(replicas(0), revisions("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
			"v10", "v11"), wants("v11")), "prune v0"},
		{"but not what is rolled out", given(replicas(0), historyLimit(0), revisions("v1"), rolledOut("v2"), rollingTo("v3")),
			"prune v1"},
		{"but not what has pods", given(replicas(3), historyLimit(0), revisions("v1", "v2", "v3"), rolledOut("v4"),
			pods(2, "v4"), pods(1, "v2", starting)), "create 1 v4, prune v1, prune v3"},
		{"but not what has pods that are leaving", given(replicas(0), historyLimit(0), revisions("v1", "v2"), rolledOut("v3"),
			pods(1, "v2", terminating)), "prune v1"},
		{"but not what becomes the newest", given(replicas(0), historyLimit(0), revisions("v1"), rolledOut("v2"), wants("v1")),
			"renumber v1 to 3"},
		{"and what is in use does not count", given(replicas(0), historyLimit(1), revisions("v1", "v2"), rolledOut("v3"),
			rollingTo("v4"), pods(1, "v2", terminating)), "do nothing"},
		{"while paused too", given(replicas(0), historyLimit(0), revisions("v1"), rolledOut("v2"), paused), "prune v1"},
		{"not of a deleted Fleet", given(historyLimit(0), revisions("v1", "v2"), deleting), "do nothing"},
	})
}

func withMemory(quantity string) fact {
	return func(s *Observed) {
		s.Fleet.Spec.Template.Spec.Containers[0].Resources.Requests =
			corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(quantity)}
	}
}

func TestOneMeaningIsOneRevision(t *testing.T) {
	for _, row := range []struct{ name, before, after, want string }{
		{"the same", "1Gi", "1Gi", "do nothing"},
		{"another spelling", "1.5Gi", "1536Mi", "do nothing"},
		{"another unit, that is not the canonical one", "1Gi", "1073741824", "do nothing"},
		{"another quantity", "1Gi", "1025Mi", "revision v1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := given(replicas(0), withMemory(row.before))
			seen.Revisions = append(seen.Revisions, Decide(seen).NewRevision)
			if got := inWords(Decide(then(seen, withMemory(row.after)))); got != row.want {
				t.Errorf("decided to %s; want %s", got, row.want)
			}
		})
	}
	t.Run("no labels and none at all", func(t *testing.T) {
		seen := given(replicas(0))
		seen.Revisions = append(seen.Revisions, Decide(seen).NewRevision)
		seen.Fleet.Spec.Template.Annotations = map[string]string{}
		seen.Fleet.Spec.Template.Spec.Volumes = []corev1.Volume{}
		if got := inWords(Decide(seen)); got != "do nothing" {
			t.Errorf("decided to %s", got)
		}
	})
}

func TestRevisionNames(t *testing.T) {
	revisionFor := func(facts ...fact) *appsv1.ControllerRevision { return Decide(given(facts...)).NewRevision }
	collided := func(times int32) fact {
		return func(s *Observed) { s.Fleet.Status.CollisionCount = &times }
	}

	t.Run("do not change", func(t *testing.T) {
		// A revision written by an earlier release of the operator must be found under the same name.
		if got, want := revisionFor().Name, "web-f8655f7f6"; got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	})
	t.Run("are alike for one meaning", func(t *testing.T) {
		if a, b := revisionFor(withMemory("1.5Gi")).Name, revisionFor(withMemory("1536Mi")).Name; a != b {
			t.Errorf("%s and %s", a, b)
		}
	})
	t.Run("depend on nothing but the template and the collisions", func(t *testing.T) {
		if a, b := revisionFor().Name, revisionFor(replicas(9), recreating, minReadySeconds(9), pods(1, "v2")).Name; a != b {
			t.Errorf("%s and %s", a, b)
		}
	})
	t.Run("differ after each collision", func(t *testing.T) {
		names := map[string]bool{}
		for _, revision := range []*appsv1.ControllerRevision{
			revisionFor(), revisionFor(collided(1)), revisionFor(collided(2)), revisionFor(wants("v2")),
		} {
			names[revision.Name] = true
		}
		if len(names) != 4 {
			t.Errorf("got %v", names)
		}
	})
}

func TestNewRevisionHoldsTheTemplate(t *testing.T) {
	seen := given(wants("v7"))
	revision := Decide(seen).NewRevision
	if !SameTemplate(revision, revisionOf(seen.Fleet, "v7", 9)) || SameTemplate(revision, revisionOf(seen.Fleet, "v8", 1)) {
		t.Error("it holds another template")
	}
	if !metav1.IsControlledBy(revision, seen.Fleet) || revision.Namespace != "demo" || revision.Revision != 1 {
		t.Errorf("got %v", revision)
	}
	if broken := (&appsv1.ControllerRevision{}); SameTemplate(broken, broken) {
		t.Error("a revision without a template has the same as itself")
	}
}

// The API server puts the keys in order when it patches a revision, and then refuses the patch if that changed the data.
func TestRevisionDataHasItsKeysInOrder(t *testing.T) {
	data := Decide(given(withMemory("1.5Gi"))).NewRevision.Data.Raw
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	inOrder, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(inOrder), string(data)); diff != "" {
		t.Errorf("not in order (-in order +data):\n%s", diff)
	}
}

func TestNewPod(t *testing.T) {
	f := given().Fleet
	f.Spec.Template.Annotations = map[string]string{"note": "kept"}
	f.Spec.Template.Finalizers = []string{"example.com/held"}
	revision := newRevision(f, 1)
	pod, err := NewPod(f, revision)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"app": "web", "controller-revision-hash": hashOf(revision)}; !maps.Equal(pod.Labels, want) {
		t.Errorf("labels are %v; want %v", pod.Labels, want)
	}
	if pod.GenerateName != "web-"+hashOf(revision)+"-" || pod.Name != "" || pod.Namespace != "demo" {
		t.Errorf("named %q %q in %q", pod.Name, pod.GenerateName, pod.Namespace)
	}
	if !metav1.IsControlledBy(pod, f) || !*pod.OwnerReferences[0].BlockOwnerDeletion {
		t.Errorf("owners are %v", pod.OwnerReferences)
	}
	if pod.Annotations["note"] != "kept" || len(pod.Finalizers) != 1 || versionOf(pod.Spec) != "v1" {
		t.Errorf("the template's own parts are missing: %v", pod)
	}
	if len(f.Spec.Template.Labels) != 1 {
		t.Errorf("the labels of the Fleet's template became %v", f.Spec.Template.Labels)
	}
	if _, err := NewPod(f, &appsv1.ControllerRevision{}); err == nil {
		t.Error("a pod was made from a revision without a template")
	}
}

// A revision's data comes from the API server, where anybody with the right to may have written it.
func FuzzRevisionData(f *testing.F) {
	for _, seed := range []string{"", "{", "null", "[]", `{"spec":{"containers":[{"image":"v1"}]}}`, `{"metadata":7}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen := given(rolledOut("v1"), revisions("v2"))
		seen.Revisions[1].Data.Raw = data
		plan := Decide(seen)
		Status(seen, plan, Outcome{})
		if _, err := NewPod(seen.Fleet, seen.Revisions[1]); err == nil && !SameTemplate(seen.Revisions[1], seen.Revisions[1]) {
			t.Errorf("a template that can be read is not the same as itself: %q", data)
		}
	})
}

// Templates that differ in what they mean get revisions of their own, however many there are.
func TestEveryTemplateHasOneRevision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := given(replicas(0), historyLimit(100))
		versions := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 20).Draw(t, "versions")
		distinct := map[int]bool{}
		for _, version := range versions {
			distinct[version] = true
			seen = then(seen, wants(fmt.Sprint(version)))
			plan := Decide(seen)
			if plan.NewRevision != nil {
				seen.Revisions = append(seen.Revisions, plan.NewRevision)
			}
			if plan.Renumber != nil {
				i := indexOf(t, seen.Revisions, plan.Renumber.Revision.Name)
				seen.Revisions[i].Revision = plan.Renumber.Number
			}
			newest := readHistory(seen.Fleet, seen.Revisions).newest()
			if got := versionOfRevision(newest); got != fmt.Sprint(version) {
				t.Fatalf("the newest revision is %s; want %d", got, version)
			}
		}
		if len(seen.Revisions) != len(distinct) {
			t.Fatalf("%d revisions of %d templates", len(seen.Revisions), len(distinct))
		}
	})
}

func indexOf(t *rapid.T, revisions []*appsv1.ControllerRevision, name string) int {
	for i, revision := range revisions {
		if revision.Name == name {
			return i
		}
	}
	t.Fatalf("there is no revision %s", name)
	return -1
}

func TestCollisionIsCounted(t *testing.T) {
	for _, row := range []struct {
		stored *int32
		want   int32
	}{{nil, 1}, {ptr.To[int32](3), 4}} {
		seen := given()
		seen.Fleet.Status.CollisionCount = row.stored
		status := Status(seen, Decide(seen), Outcome{Collision: true})
		if got := ptr.Deref(status.CollisionCount, -1); got != row.want {
			t.Errorf("after %v it is %d; want %d", row.stored, got, row.want)
		}
		if again := Decide(then(seen, func(s *Observed) { s.Fleet.Status = status })); again.NewRevision == nil ||
			again.NewRevision.Name == Decide(seen).NewRevision.Name {
			t.Error("the next revision has the name that is taken")
		}
	}
}
