package fleet

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

const aWhile = 10 * time.Second

func availableAfterTenSeconds(pod *corev1.Pod) bool { return available(pod, aWhile, noon) }

// Of each pair the first goes first by the criterion named, and last by every criterion after it.
func TestDeletionRank(t *testing.T) {
	precious := []trait{costing(9), createdAt(noon.Add(-9 * time.Hour)), named("z")}
	cheap := []trait{costing(-9), createdAt(noon), named("a")}
	unknown := func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodUnknown }

	for _, row := range []struct {
		name        string
		first, last []trait
	}{
		{"unassigned before assigned", append(precious, unassigned), append(cheap, starting)},
		{"pending before unknown", append(precious, starting), append(cheap, unready, unknown)},
		{"unknown before running", append(precious, unknown), append(cheap, unready)},
		{"unready before ready", append(precious, unready), append(cheap, readyFor(time.Second))},
		{"just ready before available", append(precious, readyFor(time.Second)), append(cheap, readyFor(time.Hour))},
		{"lower cost before higher", []trait{costing(-1), createdAt(noon.Add(-time.Hour)), named("z")},
			[]trait{createdAt(noon), named("a")}},
		{"newer before older", []trait{createdAt(noon), named("z")}, []trait{createdAt(noon.Add(-time.Hour)), named("a")}},
		{"by name, all else equal", []trait{named("a")}, []trait{named("z")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			first, last := newTestPod(newFleet(), "v1", "first", row.first...), newTestPod(newFleet(), "v1", "last", row.last...)
			for _, pair := range [][]*corev1.Pod{{first, last}, {last, first}} {
				if got := byDeletionRank(pair, availableAfterTenSeconds); got[0] != first {
					t.Errorf("%s goes first", got[0].UID)
				}
			}
		})
	}
}

func TestScaleDownTakesTheFirstOfTheRank(t *testing.T) {
	seen := given(replicas(1), rolledOut("v1"),
		pods(1, "v1"), pods(1, "v1", costing(5)), pods(1, "v1", unready), pods(1, "v1", starting))
	var names []string
	for _, deletion := range Decide(seen).Delete {
		names = append(names, deletion.Pod.Name)
	}
	if want := []string{"pod-03", "pod-02", "pod-00"}; !slices.Equal(names, want) {
		t.Errorf("deleted %v; want %v", names, want)
	}
}

// A total order puts any two pods the same way round, whichever others there are and however the list was ordered.
func TestDeletionRankIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(rankedPods, 3, 8, func(pod *corev1.Pod) string { return pod.Name }).Draw(t, "pods")
		shuffled := rapid.Permutation(all).Draw(t, "shuffled")

		order := byDeletionRank(all, availableAfterTenSeconds)
		if !slices.Equal(order, byDeletionRank(shuffled, availableAfterTenSeconds)) {
			t.Fatal("the order depends on that of the list")
		}
		for i, first := range order {
			for _, last := range order[i+1:] {
				if byDeletionRank([]*corev1.Pod{last, first}, availableAfterTenSeconds)[0] != first {
					t.Fatalf("%s goes before %s among others, and after it alone", first.Name, last.Name)
				}
			}
		}
	})
}

// rankedPods are of few different kinds, so that ties are common.
var rankedPods = rapid.Custom(func(t *rapid.T) *corev1.Pod {
	state := rapid.SampledFrom([]trait{unassigned, starting, unready, readyFor(time.Second), readyFor(time.Hour)})
	return newTestPod(newFleet(), "v1", rapid.StringMatching("[a-z]{2}").Draw(t, "name"),
		state.Draw(t, "state"),
		costing(rapid.IntRange(-1, 1).Draw(t, "cost")),
		createdAt(noon.Add(-time.Duration(rapid.IntRange(0, 2).Draw(t, "age"))*time.Hour)),
	)
})
