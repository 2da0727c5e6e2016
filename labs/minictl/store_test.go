package minictl

import (
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

func TestAWriteWithAnOldVersionIsRefused(t *testing.T) {
	s := newStore()
	read := must[*corev1.Pod](t)(create(s, bare("a", nil)))
	mine, theirs := read.DeepCopy(), read.DeepCopy()
	theirs.Labels = map[string]string{"by": "them"}
	if updated := must[*corev1.Pod](t)(update(s, theirs)); updated.ResourceVersion == read.ResourceVersion {
		t.Errorf("the version is still %s after a write", updated.ResourceVersion)
	}
	mine.Labels = map[string]string{"by": "me"}
	_, err := update(s, mine)
	if !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	want := `Operation cannot be fulfilled on pods "a": the object has been modified; ` +
		`please apply your changes to the latest version and try again`
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	mine.ResourceVersion = ""
	if updated := must[*corev1.Pod](t)(update(s, mine)); updated.Labels["by"] != "me" {
		t.Errorf("a write without a version did not overwrite: %v", updated.Labels)
	}
}

func TestAnIdenticalWriteHasNoEffect(t *testing.T) {
	s := newStore()
	read := must[*corev1.Pod](t)(create(s, bare("a", nil)))
	for name, write := range map[string]func(*Store, *corev1.Pod) (*corev1.Pod, error){
		"update": update[*corev1.Pod], "updateStatus": updateStatus[*corev1.Pod],
	} {
		if same := must[*corev1.Pod](t)(write(s, read)); same.ResourceVersion != read.ResourceVersion {
			t.Errorf("%s: the version went from %s to %s", name, read.ResourceVersion, same.ResourceVersion)
		}
	}
	events, _, err := s.Watch(PodKind, namespace, labels.Everything(), read.ResourceVersion)
	if err != nil || len(events) != 0 {
		t.Errorf("got events %v and error %v, want neither", events, err)
	}
}

func TestGenerationCountsChangesOfTheSpec(t *testing.T) {
	s := newStore()
	rs := must[*appsv1.ReplicaSet](t)(create(s, set("web", 3)))
	rs.Labels = map[string]string{"a": "b"}
	rs = must[*appsv1.ReplicaSet](t)(update(s, rs))
	rs.Status.Replicas = 3
	rs = must[*appsv1.ReplicaSet](t)(updateStatus(s, rs))
	if rs.Generation != 1 {
		t.Errorf("generation is %d without a change of the spec", rs.Generation)
	}
	rs.Spec.Replicas = ptr.To[int32](4)
	rs.Generation = 77
	if rs = must[*appsv1.ReplicaSet](t)(update(s, rs)); rs.Generation != 2 {
		t.Errorf("generation is %d after a change of the spec, want 2", rs.Generation)
	}
}

func TestSpecAndStatusAreWrittenApart(t *testing.T) {
	s := newStore()
	rs := must[*appsv1.ReplicaSet](t)(create(s, set("web", 3)))
	rs.Spec.Replicas, rs.Status.Replicas = ptr.To[int32](4), 9
	updated := must[*appsv1.ReplicaSet](t)(update(s, rs.DeepCopy()))
	if *updated.Spec.Replicas != 4 || updated.Status.Replicas != 0 {
		t.Errorf("update: got %d and status %d, want 4 and 0", *updated.Spec.Replicas, updated.Status.Replicas)
	}
	rs.Spec.Replicas, rs.Labels, rs.ResourceVersion = ptr.To[int32](5), map[string]string{"a": "b"}, ""
	updated = must[*appsv1.ReplicaSet](t)(updateStatus(s, rs))
	if *updated.Spec.Replicas != 4 || updated.Status.Replicas != 9 || updated.Labels != nil {
		t.Errorf("updateStatus: got %d, status %d and labels %v, want 4, 9 and none",
			*updated.Spec.Replicas, updated.Status.Replicas, updated.Labels)
	}
}

func TestWhatIsReadIsACopy(t *testing.T) {
	s := newStore()
	sent := bare("a", map[string]string{"app": "web"})
	read := must[*corev1.Pod](t)(create(s, sent))
	sent.Labels["app"], read.Labels["app"] = "x", "y"
	list[*corev1.Pod](s, namespace)[0].Labels["app"] = "z"
	if stored := must[*corev1.Pod](t)(get[*corev1.Pod](s, key("a"))); stored.Labels["app"] != "web" {
		t.Errorf("the stored label became %q", stored.Labels["app"])
	}
}

func TestInvalidObjectsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		object Object
		want   string
	}{
		"a selector that misses its template": {
			func() Object { rs := set("web", 1); rs.Spec.Template.Labels["app"] = "db"; return rs }(),
			"`selector` does not match template `labels`"},
		"no selector":       {func() Object { rs := set("web", 1); rs.Spec.Selector = nil; return rs }(), "spec.selector"},
		"negative replicas": {set("web", -1), "spec.replicas"},
		"no room to move":   {deployment(3, "0", "0%"), "may not be 0 when `maxSurge` is 0"},
		"a bad percentage":  {deployment(3, "ten", "1"), "spec.strategy.rollingUpdate.maxSurge"},
		"a negative bound":  {deployment(3, "-1", "1"), "must not be negative"},
		"too large a bound": {deployment(3, "1", "101%"), "must not be greater than 100%"},
		"a deadline before a pod can be available": {
			func() Object { d := deployment(3, "1", "1"); d.Spec.MinReadySeconds = 600; return d }(),
			"must be greater than minReadySeconds"},
		"an unknown strategy": {func() Object { d := deployment(3, "1", "1"); d.Spec.Strategy.Type = "BlueGreen"; return d }(),
			"spec.strategy.type"},
		"Recreate with bounds": {
			func() Object { d := deployment(3, "1", "1"); d.Spec.Strategy.Type = "Recreate"; return d }(),
			"may not be set when strategy `type` is 'Recreate'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := create(newStore(), test.object)
			if !apierrors.IsInvalid(err) {
				t.Errorf("got %v, want 422", err)
			}
			mustFail(t, err, test.want)
		})
	}
}

func TestNamesThatAreTakenOrMissing(t *testing.T) {
	s := newStore()
	must[*corev1.Pod](t)(create(s, bare("a", nil)))
	if _, err := create(s, bare("a", nil)); !apierrors.IsAlreadyExists(err) {
		t.Errorf("create: got %v, want AlreadyExists", err)
	}
	if _, err := update(s, bare("b", nil)); !apierrors.IsNotFound(err) {
		t.Errorf("update: got %v, want NotFound", err)
	}
	if err := s.Delete(PodKind, key("b")); !apierrors.IsNotFound(err) {
		t.Errorf("Delete: got %v, want NotFound", err)
	}
}

// Whatever is written, every change has the next revision, and a watch from any earlier version, applied to the list of
// that version, gives the list of now.
func TestAListAndAWatchLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore()
		type snapshot struct {
			version string
			apps    map[string]string
		}
		selector := parse(t, "app=web")
		read := func() snapshot {
			objects, version := s.List(PodKind, namespace, selector)
			apps := map[string]string{}
			for _, o := range objects {
				apps[o.GetName()] = o.GetResourceVersion()
			}
			return snapshot{version, apps}
		}
		snapshots := []snapshot{read()}
		for range rapid.IntRange(1, 20).Draw(t, "writes") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
			pod := bare(name, map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")})
			switch rapid.SampledFrom([]string{"create", "update", "delete"}).Draw(t, "write") {
			case "create":
				create(s, pod)
			case "update":
				update(s, pod)
			case "delete":
				s.Delete(PodKind, key(name))
			}
			snapshots = append(snapshots, read())
		}
		now := read()
		for _, then := range snapshots {
			events, version, err := s.Watch(PodKind, namespace, selector, then.version)
			if err != nil || version != now.version {
				t.Fatalf("from %s: got version %s and error %v, want %s", then.version, version, err, now.version)
			}
			last, _ := strconv.Atoi(then.version)
			for _, e := range events {
				revision, _ := strconv.Atoi(e.Object.GetResourceVersion())
				if revision <= last {
					t.Fatalf("revision %d comes after %d", revision, last)
				}
				last = revision
				_, known := then.apps[e.Object.GetName()]
				switch e.Type {
				case "ADDED", "MODIFIED":
					if known == (e.Type == "ADDED") {
						t.Fatalf("%s of %s, which was known: %t", e.Type, e.Object.GetName(), known)
					}
					then.apps[e.Object.GetName()] = e.Object.GetResourceVersion()
				case "DELETED":
					delete(then.apps, e.Object.GetName())
				}
			}
			if len(then.apps) != len(now.apps) {
				t.Fatalf("from %s: got %v, want %v", then.version, then.apps, now.apps)
			}
			for name, version := range now.apps {
				if then.apps[name] != version {
					t.Fatalf("from %s: got %v, want %v", then.version, then.apps, now.apps)
				}
			}
		}
	})
}
