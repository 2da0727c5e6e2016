package minictl

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		replicas           int32
		surge, unavailable string
		want               Bounds
	}{
		{3, "1", "0", Bounds{4, 3}},
		{10, "25%", "25%", Bounds{13, 8}}, // up to 3, down to 2
		{1, "25%", "25%", Bounds{2, 1}},
		{2, "0", "1%", Bounds{2, 1}}, // both come to zero
		{4, "100%", "100%", Bounds{8, 0}},
		{2, "1", "9", Bounds{3, 0}},
	} {
		if got := boundsOf(deployment(test.replicas, test.surge, test.unavailable)); got != test.want {
			t.Errorf("%d replicas, %s and %s: got %+v, want %+v", test.replicas, test.surge, test.unavailable, got, test.want)
		}
	}
}

// sized is a ReplicaSet with some pods, of which some are available.
func sized(name string, age, size, available int) *appsv1.ReplicaSet {
	rs := set(name, int32(size))
	rs.CreationTimestamp.Time = epoch.Add(-seconds(age))
	rs.Status.Replicas, rs.Status.AvailableReplicas = int32(size), int32(available)
	return rs
}

func scalings(all []Scaling) string {
	text := ""
	for _, s := range all {
		text += fmt.Sprintf("%s=%d ", s.Set.Name, s.To)
	}
	return text
}

func TestScaleDown(t *testing.T) {
	for name, test := range map[string]struct {
		d    *appsv1.Deployment
		new  *appsv1.ReplicaSet
		old  []*appsv1.ReplicaSet
		want string
	}{
		"the new pod is not available yet": {deployment(3, "1", "0"), sized("new", 1, 1, 0),
			[]*appsv1.ReplicaSet{sized("a", 2, 3, 3)}, ""},
		"the new pod is available": {deployment(3, "1", "0"), sized("new", 1, 1, 1),
			[]*appsv1.ReplicaSet{sized("a", 2, 3, 3)}, "a=2 "},
		"one may be unavailable": {deployment(3, "0", "1"), sized("new", 1, 0, 0),
			[]*appsv1.ReplicaSet{sized("a", 2, 3, 3)}, "a=2 "},
		"an unhealthy old pod stays while a new one is not available": {deployment(3, "1", "0"), sized("new", 1, 1, 0),
			[]*appsv1.ReplicaSet{sized("a", 2, 3, 2)}, ""},
		"unhealthy old pods go first": {deployment(3, "1", "0"), sized("new", 1, 1, 1),
			[]*appsv1.ReplicaSet{sized("a", 3, 2, 2), sized("b", 2, 1, 0)}, "b=0 "},
		"and healthy ones in the same pass": {deployment(4, "2", "1"), sized("new", 1, 2, 2),
			[]*appsv1.ReplicaSet{sized("a", 3, 3, 2)}, "a=2 a=1 "},
		"a status that is behind is waited for": {deployment(3, "1", "0"), sized("new", 1, 2, 2),
			[]*appsv1.ReplicaSet{sized("a", 2, 2, 3)}, ""},
	} {
		if got := scalings(decideScaleDown(test.d, test.new, test.old)); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestProportions(t *testing.T) {
	for name, test := range map[string]struct {
		d         *appsv1.Deployment
		maxBefore string
		sets      []*appsv1.ReplicaSet
		want      string
	}{
		// The example of https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
		"from 10 to 15 in the middle of a rollout": {deployment(15, "3", "2"), "13",
			[]*appsv1.ReplicaSet{sized("new", 1, 5, 0), sized("old", 2, 8, 8)}, "old=11 new=7 "},
		"equal ones, growing: the newer first": {deployment(5, "1", "0"), "5",
			[]*appsv1.ReplicaSet{sized("new", 1, 2, 2), sized("old", 2, 2, 2)}, "new=4 old=2 "},
		"equal ones, shrinking: the older first": {deployment(2, "1", "0"), "4",
			[]*appsv1.ReplicaSet{sized("new", 1, 2, 2), sized("old", 2, 2, 2)}, "old=1 new=2 "},
		"to zero": {deployment(0, "1", "0"), "5",
			[]*appsv1.ReplicaSet{sized("new", 1, 2, 2), sized("old", 2, 3, 3)}, "old=0 new=0 "},
		"what is left over goes to the first": {deployment(10, "0", "1"), "9",
			[]*appsv1.ReplicaSet{sized("new", 1, 3, 3), sized("old", 2, 3, 3), sized("older", 3, 3, 3)}, "new=4 old=3 older=3 "},
	} {
		for _, rs := range test.sets {
			rs.Annotations = map[string]string{maxAnnotation: test.maxBefore}
		}
		if got := scalings(decideProportions(test.d, test.sets)); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestProportionsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := deployment(rapid.Int32Range(0, 30).Draw(t, "replicas"), fmt.Sprint(rapid.IntRange(1, 5).Draw(t, "surge")), "0")
		var sets []*appsv1.ReplicaSet
		total := 0
		for i := range rapid.IntRange(2, 4).Draw(t, "sets") {
			sets = append(sets, sized(fmt.Sprint(i), i, rapid.IntRange(1, 12).Draw(t, "size"), 0))
			total += sizeOf(sets[i])
		}
		for _, rs := range sets {
			rs.Annotations = map[string]string{maxAnnotation: fmt.Sprint(total)}
		}
		sum := 0
		for _, s := range decideProportions(d, sets) {
			if s.To < 0 {
				t.Fatalf("%s is to have %d pods", s.Set.Name, s.To)
			}
			sum += s.To
		}
		want := 0
		if *d.Spec.Replicas > 0 {
			want = boundsOf(d).MaxPods
		}
		if sum != want {
			t.Fatalf("%d pods in all, want %d", sum, want)
		}
	})
}

func TestTheHashIsOfTheTemplateAlone(t *testing.T) {
	template := podTemplate("web", "web:1.0")
	hash := templateHash(&template)
	template.Labels[hashLabel] = hash
	if again := templateHash(&template); again != hash {
		t.Errorf("the label changed the hash from %s to %s", hash, again)
	}
	template.Spec.Containers[0].Image = "web:2.0"
	if other := templateHash(&template); other == hash {
		t.Error("another template has the same hash")
	}
}

// Through any sequence of rollouts to new templates there are never more pods than the surge allows, nor, as long as none
// fails by itself, fewer available ones than must be; and it ends with the last image.
//
// A template that comes back is left out: the status of its ReplicaSet can still count pods that are gone, for a tick.
func TestARolloutKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 6).Draw(t, "replicas")
		surge, unavailable := rapid.IntRange(0, 3).Draw(t, "surge"), rapid.IntRange(0, 3).Draw(t, "unavailable")
		if surge == 0 && unavailable == 0 {
			surge = 1
		}
		d := deployment(replicas, fmt.Sprint(surge), fmt.Sprint(unavailable))
		d.Spec.MinReadySeconds = rapid.Int32Range(0, 2).Draw(t, "minReadySeconds")
		c := rolled(t, d)
		bounds := boundsOf(d)
		check := func() {
			now := c.sample()
			if now.Total() > bounds.MaxPods || now.count(Available) < bounds.MinAvailable {
				t.Fatalf("tick %d: %d pods, %d available, bounds %+v", now.Tick, now.Total(), now.count(Available), bounds)
			}
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "rollouts") {
			c.Kubectl.SetImage("web", fmt.Sprintf("web:%d%s", i+2, rapid.SampledFrom([]string{"", ":broken"}).Draw(t, "image")))
			for range rapid.IntRange(0, 9).Draw(t, "ticks") {
				c.Tick()
				check()
			}
		}
		c.Kubectl.SetImage("web", "web:last")
		tickUntil(t, c, "the last rollout", func() bool {
			check()
			return rolledOut(c)()
		})
		for _, pod := range list[*corev1.Pod](c.Store, namespace) {
			if pod.Spec.Containers[0].Image != "web:last" {
				t.Fatalf("%s still runs %s", pod.Name, pod.Spec.Containers[0].Image)
			}
		}
	})
}

func TestARolloverLeavesNoOldPods(t *testing.T) {
	c := rolled(t, deployment(4, "2", "1"))
	c.Kubectl.SetImage("web", "web:2.0")
	c.Tick()
	c.Tick()
	c.Kubectl.SetImage("web", "web:3.0")
	tickUntil(t, c, "the third rollout", rolledOut(c))
	revisions, err := c.Kubectl.Revisions("web")
	if diff := cmp.Diff([]int{1, 2, 3}, revisions); err != nil || diff != "" {
		t.Errorf("revisions: %v (-want +got):\n%s", err, diff)
	}
}

func TestRecreateLeavesNobodyServing(t *testing.T) {
	d := deployment(3, "1", "0")
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	c := rolled(t, d)
	c.Kubectl.SetImage("web", "web:2.0")
	empty := 0
	tickUntil(t, c, "the second rollout", func() bool {
		images := map[string]bool{}
		for _, pod := range list[*corev1.Pod](c.Store, namespace) {
			images[pod.Spec.Containers[0].Image] = true
		}
		if len(images) > 1 {
			t.Errorf("tick %d: pods of two images", c.Clock.Tick())
		}
		if c.sample().Ready() == 0 {
			empty++
		}
		return rolledOut(c)()
	})
	if empty == 0 {
		t.Error("some pod was ready all the time")
	}
}

// The old ReplicaSet's size is zero long before its pods are gone, if its controller is slow.
func TestRecreateWaitsForTheLastOldPod(t *testing.T) {
	d := deployment(3, "1", "0")
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	c := rolled(t, d)
	c.StopReplicaSets = true
	c.Kubectl.SetImage("web", "web:2.0")
	for range 3 {
		c.Tick()
		c.Deployments.Queue.Add(key("web"), c.Clock.Tick())
	}
	if sets := list[*appsv1.ReplicaSet](c.Store, namespace); len(sets) != 1 || sizeOf(sets[0]) != 0 {
		t.Errorf("%d ReplicaSets, the first of %d, while the old pods run; want 1 of 0", len(sets), sizeOf(sets[0]))
	}
	c.StopReplicaSets = false
	tickUntil(t, c, "the second rollout", rolledOut(c))
}

func TestHistoryKeepsAsManyAsItsLimit(t *testing.T) {
	d := deployment(2, "1", "0")
	d.Spec.RevisionHistoryLimit = ptr.To[int32](1)
	c := rolled(t, d)
	for _, image := range []string{"web:2.0", "web:3.0"} {
		c.Kubectl.SetImage("web", image)
		tickUntil(t, c, "the rollout of "+image, rolledOut(c))
	}
	for range 3 {
		c.Tick()
	}
	revisions, err := c.Kubectl.Revisions("web")
	if diff := cmp.Diff([]int{2, 3}, revisions); err != nil || diff != "" {
		t.Errorf("revisions: %v (-want +got):\n%s", err, diff)
	}
}

func TestALimitOfZeroLeavesNothingToUndo(t *testing.T) {
	d := deployment(2, "1", "0")
	d.Spec.RevisionHistoryLimit = ptr.To[int32](0)
	c := rolled(t, d)
	c.Kubectl.SetImage("web", "web:2.0")
	tickUntil(t, c, "the second rollout", rolledOut(c))
	for range 3 {
		c.Tick()
	}
	mustFail(t, c.Kubectl.RolloutUndo("web", 0), `no rollout history found for deployment "web"`)
}

func TestAStalledRolloutExceedsItsDeadlineUnprompted(t *testing.T) {
	d := deployment(3, "1", "0")
	d.Spec.ProgressDeadlineSeconds = ptr.To[int32](10)
	c := rolled(t, d)
	c.Kubectl.SetImage("web", "web:broken")
	tickUntil(t, c, "the deadline", func() bool {
		_, _, err := c.Kubectl.RolloutStatus("web")
		return err != nil
	})
	progressing := findCondition(web(t, c).Status, appsv1.DeploymentProgressing)
	if progressing.Status != corev1.ConditionFalse || progressing.Reason != timedOutReason {
		t.Errorf("Progressing is %+v", progressing)
	}
	available := findCondition(web(t, c).Status, appsv1.DeploymentAvailable)
	if available.Status != corev1.ConditionTrue {
		t.Errorf("Available is %+v, though every old pod serves", available)
	}
	if now := c.sample(); now.Total() != 4 || now.Ready() != 3 {
		t.Errorf("%d pods, %d ready, want 4 and 3", now.Total(), now.Ready())
	}
}

func TestAPausedDeploymentScalesAndDoesNotRoll(t *testing.T) {
	c := rolled(t, deployment(3, "1", "0"))
	c.Kubectl.RolloutPause("web")
	c.Kubectl.SetImage("web", "web:2.0")
	c.Kubectl.Scale(DeploymentKind, "web", 5)
	for range 10 {
		c.Tick()
	}
	if sets := list[*appsv1.ReplicaSet](c.Store, namespace); len(sets) != 1 || sizeOf(sets[0]) != 5 {
		t.Errorf("%d ReplicaSets, the first with %d replicas, want 1 with 5", len(sets), sizeOf(sets[0]))
	}
	if progressing := findCondition(web(t, c).Status, appsv1.DeploymentProgressing); progressing.Reason != pausedReason {
		t.Errorf("Progressing is %+v", progressing)
	}
	mustFail(t, c.Kubectl.RolloutUndo("web", 0), "you cannot rollback a paused deployment")
	c.Kubectl.RolloutResume("web")
	tickUntil(t, c, "the rollout", rolledOut(c))
	if sets := list[*appsv1.ReplicaSet](c.Store, namespace); len(sets) != 2 {
		t.Errorf("%d ReplicaSets after the resume, want 2", len(sets))
	}
}

func TestScalingMakesNoRevisionAndARestartDoes(t *testing.T) {
	c := rolled(t, deployment(3, "1", "0"))
	c.Kubectl.Scale(DeploymentKind, "web", 5)
	tickUntil(t, c, "five pods", func() bool { return c.sample().Ready() == 5 })
	if sets := list[*appsv1.ReplicaSet](c.Store, namespace); len(sets) != 1 {
		t.Errorf("%d ReplicaSets after a scaling", len(sets))
	}
	c.Kubectl.RolloutRestart("web")
	tickUntil(t, c, "the restart", rolledOut(c))
	revisions, _ := c.Kubectl.Revisions("web")
	if diff := cmp.Diff([]int{1, 2}, revisions); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestAQuietClusterStaysQuiet(t *testing.T) {
	c := rolled(t, deployment(3, "1", "0"))
	for range 3 {
		c.Tick()
	}
	before := c.Store.revision
	for range 50 {
		c.Tick()
	}
	if c.Store.revision != before {
		t.Errorf("%d writes, though nothing happened", c.Store.revision-before)
	}
}

func TestTheNewSetIsCreatedWithTheRoomThereIs(t *testing.T) {
	c := rolled(t, deployment(10, "3", "2"))
	c.Kubectl.SetImage("web", "web:2.0")
	c.Tick()
	got := messages(c, "ScalingReplicaSet")[1:]
	slices.Sort(got)
	sets := byCreation(list[*appsv1.ReplicaSet](c.Store, namespace))
	want := []string{"Scaled down replica set " + sets[0].Name + " from 10 to 8",
		"Scaled up replica set " + sets[1].Name + " from 0 to 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first step (-want +got):\n%s", diff)
	}
}
