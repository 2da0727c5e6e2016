package minictl

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// aged makes a pod that was created at a tick, and is ready since another, or not at all.
func aged(name string, created, ready int, node string, phase corev1.PodPhase) *corev1.Pod {
	pod := bare(name, nil)
	pod.CreationTimestamp = metav1.NewTime(epoch.Add(seconds(created)))
	pod.Spec.NodeName, pod.Status.Phase = node, phase
	if ready > 0 {
		setReady(pod, true, metav1.NewTime(epoch.Add(seconds(ready))))
	}
	return pod
}

func TestTheCheapestPodsGoFirst(t *testing.T) {
	wanted := []*corev1.Pod{
		aged("unscheduled", 1, 0, "", corev1.PodPending),
		aged("pending", 1, 0, nodeName, corev1.PodPending),
		aged("unready-new", 9, 0, nodeName, corev1.PodRunning),
		aged("unready-old", 1, 0, nodeName, corev1.PodRunning),
		aged("ready-late", 1, 8, nodeName, corev1.PodRunning),
		aged("ready-early-new", 4, 6, nodeName, corev1.PodRunning),
		aged("ready-early-old", 3, 6, nodeName, corev1.PodRunning),
	}
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(wanted).Draw(t, "pods")
		for i, pod := range byDeletionRank(shuffled) {
			if pod != wanted[i] {
				t.Fatalf("place %d: got %s, want %s", i, pod.Name, wanted[i].Name)
			}
		}
	})
}

func TestDecidePods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pods []*corev1.Pod
		for i := range rapid.IntRange(0, 9).Draw(t, "pods") {
			pods = append(pods, aged(string(rune('a'+i)), i, rapid.IntRange(0, 5).Draw(t, "ready"), nodeName, corev1.PodRunning))
		}
		wanted := rapid.IntRange(0, 9).Draw(t, "wanted")
		missing, surplus := decidePods(pods, wanted)
		if missing < 0 || missing > 0 && len(surplus) > 0 || len(pods)+missing-len(surplus) != wanted {
			t.Fatalf("%d pods, %d wanted: %d missing and %d too many", len(pods), wanted, missing, len(surplus))
		}
	})
}

func TestAvailableIsReadyForSomeTime(t *testing.T) {
	pod := aged("a", 1, 10, nodeName, corev1.PodRunning)
	for tick, want := range map[int]bool{10: false, 12: false, 13: true, 14: true} {
		if got := isAvailable(pod, 3, epoch.Add(seconds(tick))); got != want {
			t.Errorf("tick %d: available is %t", tick, got)
		}
	}
	if got := untilAvailable([]*corev1.Pod{pod}, 3, epoch.Add(11*time.Second)); got != 2 {
		t.Errorf("at tick 11 a look is wanted in %d ticks, not 2", got)
	}
}

// With minReadySeconds of N every step takes N ticks more, and nothing else changes.
func TestMinReadySecondsDelaysEveryStep(t *testing.T) {
	ticks := func(minReady int32) int {
		d := deployment(3, "1", "0")
		d.Spec.MinReadySeconds = minReady
		c := rolled(t, d)
		from := c.Clock.Tick()
		c.Kubectl.SetImage("web", "web:2.0")
		tickUntil(t, c, "the second rollout", rolledOut(c))
		return c.Clock.Tick() - from
	}
	without := ticks(0)
	for _, minReady := range []int32{1, 3, 7} {
		if got := ticks(minReady) - without; got != 3*int(minReady) {
			t.Errorf("minReadySeconds %d takes %d ticks more, want %d", minReady, got, 3*minReady)
		}
	}
}

func TestAnUnreadyTickStartsTheClockAgain(t *testing.T) {
	c := NewCluster(1, 2)
	rs := set("web", 1)
	rs.Spec.MinReadySeconds = 3
	must[*appsv1.ReplicaSet](t)(create(c.Store, rs))
	status := func() appsv1.ReplicaSetStatus {
		return must[*appsv1.ReplicaSet](t)(get[*appsv1.ReplicaSet](c.Store, key("web"))).Status
	}
	tickUntil(t, c, "a ready pod", func() bool { return status().ReadyReplicas == 1 })
	c.Tick()
	pod := keyOf(list[*corev1.Pod](c.Store, namespace)[0])
	c.Kubelet.FailProbe(pod)
	c.Tick()
	c.Kubelet.PassProbe(pod)
	c.Tick() // ready again
	again := c.Clock.Tick()
	tickUntil(t, c, "an available pod", func() bool { return status().AvailableReplicas == 1 })
	if got := c.Clock.Tick() - again; got != 3 {
		t.Errorf("available %d ticks after it was ready again, want 3", got)
	}
}

// cachedGrowth scales a ReplicaSet from 3 to 5 pods while its controller reads from a late cache.
func cachedGrowth(t *testing.T, expectations *Expectations) (c *Cluster, most int) {
	c = NewCluster(1, 2)
	must[*appsv1.ReplicaSet](t)(create(c.Store, set("web", 3)))
	for range 5 {
		c.Tick()
	}
	c.ReplicaSets.CachedReads, c.ReplicaSets.informers[PodKind].Lag = true, 1
	c.ReplicaSets.Expectations = expectations
	c.Kubectl.Scale(ReplicaSetKind, "web", 5)
	for range 20 {
		c.Tick()
		most = max(most, c.sample().Total())
	}
	return c, most
}

func TestACacheThatLagsMakesTooManyPods(t *testing.T) {
	c, most := cachedGrowth(t, nil)
	if most <= 5 {
		t.Errorf("at most %d pods, so the cache did not lag", most)
	}
	if now := c.sample().Total(); now != 5 {
		t.Errorf("%d pods in the end, want 5", now)
	}
}

func TestExpectationsWaitForTheCache(t *testing.T) {
	c, most := cachedGrowth(t, NewExpectations(10))
	if most != 5 {
		t.Errorf("at most %d pods, want 5", most)
	}
	c.Kubectl.Scale(ReplicaSetKind, "web", 2)
	for range 20 {
		c.Tick()
	}
	if now := c.sample().Total(); now != 2 || len(messages(c, "SuccessfulDelete")) != 3 {
		t.Errorf("%d pods after %v", now, messages(c, "SuccessfulDelete"))
	}
}

func TestADeletionMeetsNoOtherExpectation(t *testing.T) {
	c := NewCluster(1, 2)
	must[*appsv1.ReplicaSet](t)(create(c.Store, set("web", 1)))
	c.Tick()
	c.ReplicaSets.Expectations = NewExpectations(10)
	c.ReplicaSets.Expectations.Expect(key("web"), 1, []types.UID{"another"}, 1)
	c.Store.Delete(PodKind, keyOf(list[*corev1.Pod](c.Store, namespace)[0]))
	c.ReplicaSets.informers[PodKind].Poll(1)
	if creations, deletions, _ := c.ReplicaSets.Expectations.Outstanding(key("web"), 1); creations != 0 || deletions != 1 {
		t.Errorf("%d creations and %d deletions are expected, want 0 and 1", creations, deletions)
	}
}

func TestLostNewsHoldsAKeyUpForTheTimeoutAndNoLonger(t *testing.T) {
	c, _ := cachedGrowth(t, NewExpectations(10))
	c.ReplicaSets.informers[PodKind].Drop = true
	c.Kubectl.Scale(ReplicaSetKind, "web", 6)
	c.Tick()
	from := c.Clock.Tick()
	c.Kubectl.Scale(ReplicaSetKind, "web", 7)
	tickUntil(t, c, "a seventh pod", func() bool { return c.sample().Total() == 7 })
	if waited := c.Clock.Tick() - from; waited != 10 {
		t.Errorf("waited %d ticks, want the 10 of the timeout", waited)
	}
}

func TestAFailedPodIsReplaced(t *testing.T) {
	c := rolled(t, deployment(3, "1", "0"))
	failed := list[*corev1.Pod](c.Store, namespace)[0]
	if err := c.Kubelet.Evict(keyOf(failed)); err != nil {
		t.Fatal(err)
	}
	tickUntil(t, c, "a replacement", func() bool { return c.sample().Ready() == 3 })
	if diff := cmp.Diff(4, len(messages(c, "SuccessfulCreate"))); diff != "" {
		t.Errorf("creations (-want +got):\n%s", diff)
	}
}

func TestALostRaceIsTriedAgain(t *testing.T) {
	c := rolled(t, deployment(1, "1", "0"))
	c.Store.rival = func(sent Object) bool {
		rs, ok := sent.(*appsv1.ReplicaSet)
		if ok {
			editNow(c.Kubectl, rs.Name, "Annotate", "", func(rs *appsv1.ReplicaSet) {
				metav1.SetMetaDataAnnotation(&rs.ObjectMeta, "a", "b")
			})
		}
		return ok
	}
	c.Tick()
	c.Tick()
	c.Store.Delete(PodKind, keyOf(list[*corev1.Pod](c.Store, namespace)[0]))
	tickUntil(t, c, "a replacement", func() bool { return c.sample().Ready() == 1 })
	if c.ReplicaSets.Stats.Conflicts+c.Deployments.Stats.Conflicts != 1 {
		t.Errorf("stats are %+v", c.ReplicaSets.Stats)
	}
	if created := messages(c, "SuccessfulCreate"); len(created) != 2 {
		t.Errorf("the second attempt did the work again: %v", created)
	}
}
