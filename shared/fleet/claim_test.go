package fleet

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

func TestPodsAreClaimed(t *testing.T) {
	decide(t, []decision{
		{"own pods stay", given(rolledOut("v1"), pods(3, "v1")), "do nothing"},
		{"a matching orphan is adopted, and counts at once",
			given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", orphan)), "adopt 1 v1"},
		{"an adopted orphan that is too many is deleted like any other pod",
			given(replicas(1), rolledOut("v1"), pods(1, "v1"), pods(1, "v1", orphan, starting)),
			"adopt 1 v1, delete 1 v1 (surplus)"},
		{"an orphan of other making is adopted and replaced",
			given(rolledOut("v1"), pods(3, "v1"), pods(1, "manual", orphan, withoutHash)),
			"adopt 1 manual, delete 1 manual (outdated)"},
		{"an orphan that does not match is left alone",
			given(rolledOut("v1"), pods(3, "v1"), pods(1, "v1", orphan, quarantined)), "do nothing"},
		{"an own pod that stops matching is released and replaced",
			given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", quarantined)), "release 1 v1, create 1 v1"},
		{"a pod of another controller is not touched",
			given(replicas(0), rolledOut("v1"), pods(1, "v1", foreign)), "do nothing"},
		{"a pod of another controller is not counted",
			given(replicas(1), rolledOut("v1"), pods(1, "v1", foreign)), "create 1 v1"},
		{"a pod of another controller that does not match is not released",
			given(replicas(0), rolledOut("v1"), pods(1, "v1", foreign, quarantined)), "do nothing"},
		{"a terminating orphan is not adopted",
			given(replicas(1), rolledOut("v1"), pods(1, "v1", orphan, terminating)), "create 1 v1"},
		{"a finished orphan is not adopted",
			given(replicas(1), rolledOut("v1"), pods(1, "v1", orphan, failed), pods(1, "v1", orphan, succeeded)),
			"create 1 v1"},
		{"a terminating pod that stops matching is not released",
			given(replicas(0), rolledOut("v1"), pods(1, "v1", quarantined, terminating)), "do nothing"},
		{"a failed pod that stops matching is not released",
			given(replicas(0), rolledOut("v1"), pods(1, "v1", quarantined, failed)), "do nothing"},
		{"a deleted Fleet claims, creates and deletes nothing",
			given(replicas(5), rolledOut("v1"), pods(1, "v1"), pods(1, "v1", orphan), pods(1, "v1", quarantined), deleting),
			"do nothing"},
	})
}

func TestPodsThatEndAreReplaced(t *testing.T) {
	decide(t, []decision{
		{"missing", given(rolledOut("v1"), pods(2, "v1")), "create 1 v1"},
		{"failed, as after an eviction", given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", failed)), "create 1 v1"},
		{"succeeded", given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", succeeded)), "create 1 v1"},
		{"terminating", given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", terminating)), "create 1 v1"},
		{"terminating and replaced", given(rolledOut("v1"), pods(3, "v1"), pods(1, "v1", terminating)), "do nothing"},
		{"terminating pods are not deleted again",
			given(replicas(1), rolledOut("v1"), pods(2, "v1"), pods(4, "v1", terminating)), "delete 1 v1 (surplus)"},
		{"terminating pods alone leave nothing to delete",
			given(replicas(0), rolledOut("v1"), pods(4, "v1", terminating)), "do nothing"},
	})
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelector {
	return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: key, Operator: operator, Values: values},
	}}
}

func TestUnusableSelectorsAreRefused(t *testing.T) {
	for _, row := range []struct {
		name     string
		selector metav1.LabelSelector
		says     string
	}{
		{"no values", expression("app", metav1.LabelSelectorOpIn), "values"},
		{"unknown operator", expression("app", "Like", "web"), "Like"},
		{"empty", metav1.LabelSelector{}, "must not be empty"},
		{"not of the template", expression("app", metav1.LabelSelectorOpNotIn, "web"), "does not match"},
		{"of the label that differs from one template to the next",
			expression("controller-revision-hash", metav1.LabelSelectorOpDoesNotExist), "controller-revision-hash"},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := given(generation(7), rolledOut("v1"), pods(1, "v1"), pods(1, "v2"), pods(1, "v1", orphan),
				selecting(row.selector))
			plan := Decide(seen)
			if !plan.Empty() {
				t.Errorf("decided to %s; want nothing", inWords(plan))
			}
			status := Status(seen, plan, Outcome{})
			if status.ObservedGeneration != 7 || status.Replicas != 2 || status.UpdatedReplicas != 1 {
				t.Errorf("generation %d, %d pods, %d updated; want 7, 2, 1",
					status.ObservedGeneration, status.Replicas, status.UpdatedReplicas)
			}
			if got := conditionOf(status, v1alpha1.ConditionStalled); got != "True InvalidSelector" {
				t.Errorf("Stalled is %q", got)
			}
			if got := messageOf(status, v1alpha1.ConditionStalled); !strings.Contains(got, row.says) {
				t.Errorf("the message is %q; want it to mention %q", got, row.says)
			}
		})
	}
}

func TestTemplateWithoutLabelsIsUsable(t *testing.T) {
	seen := given(selecting(expression("app", metav1.LabelSelectorOpDoesNotExist)),
		func(s *Observed) { s.Fleet.Spec.Template.Labels = nil })
	plan := Decide(seen)
	if got := inWords(plan); got != "revision v1, create 3 v1" {
		t.Fatalf("decided to %s", got)
	}
	pod, err := NewPod(seen.Fleet, plan.NewRevision)
	if err != nil {
		t.Fatal(err)
	}
	if !Selects(seen.Fleet, pod.Labels) {
		t.Errorf("the Fleet does not select the pod it creates, with labels %v", pod.Labels)
	}
}

func TestOverlaps(t *testing.T) {
	app := func(value string) fact {
		return func(s *Observed) {
			s.Fleet.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": value}}
			s.Fleet.Spec.Template.Labels = map[string]string{"app": value, "tier": "front"}
		}
	}
	for _, row := range []struct {
		name string
		a, b Observed
		want bool
	}{
		{"the same selector", given(), given(), true},
		{"other labels", given(app("web")), given(app("api")), false},
		{"only one selects the other's pods",
			given(app("web"), selecting(expression("tier", metav1.LabelSelectorOpExists))), given(app("api")), true},
		{"another namespace", given(), given(func(s *Observed) { s.Fleet.Namespace = "other" }), false},
		{"an empty selector selects nothing", given(), given(app("api"), selecting(metav1.LabelSelector{})), false},
		{"an invalid selector selects nothing", given(app("api")), given(selecting(expression("app", "Like"))), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Overlaps(row.a.Fleet, row.b.Fleet); got != row.want {
				t.Errorf("Overlaps is %t; want %t", got, row.want)
			}
			if Overlaps(row.a.Fleet, row.b.Fleet) != Overlaps(row.b.Fleet, row.a.Fleet) {
				t.Error("Overlaps is not symmetric")
			}
		})
	}
}
