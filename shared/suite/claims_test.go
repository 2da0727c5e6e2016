package suite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// the claims of a Fleet that has to exist.
func the(name string, says func(state, *v1alpha1.Fleet) error) claim {
	return func(now state) error {
		f := now.fleets[name]
		if f == nil {
			return fmt.Errorf("there is no Fleet %s", name)
		}
		if err := says(now, f); err != nil {
			return fmt.Errorf("Fleet %s: %w", name, err)
		}
		return nil
	}
}

// settled: the Fleet has become what it wants to be, and says so.
func settled(name string) claim {
	return the(name, func(now state, f *v1alpha1.Fleet) error {
		want := *f.Spec.Replicas
		pods := now.podsOf(name, serving, func(pod *corev1.Pod) bool {
			return revisionOf(pod) == hashOf(f, f.Status.UpdateRevision)
		})
		s := f.Status
		switch {
		case s.ObservedGeneration != f.Generation:
			return fmt.Errorf("generation %d is observed, not %d", s.ObservedGeneration, f.Generation)
		case s.Replicas != want || s.UpdatedReplicas != want || s.ReadyReplicas != want || s.AvailableReplicas != want:
			return fmt.Errorf("wants %d pods, has %d, of which %d updated, %d ready, %d available",
				want, s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas)
		case s.CurrentRevision != s.UpdateRevision:
			return fmt.Errorf("is still on its way from %s to %s", s.CurrentRevision, s.UpdateRevision)
		case len(now.podsOf(name, live)) != int(want) || len(pods) != int(want):
			return fmt.Errorf("says that all is well, with the pods %v, of which %v serve with the newest template",
				namesOf(now.podsOf(name, live)), namesOf(pods))
		case meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReconciling),
			meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionStalled):
			return fmt.Errorf("has become what it wants, and says it is not: %+v", s.Conditions)
		}
		return nil
	})
}

// observed: the operator has acted on the Fleet's last change.
func observed(name string) claim {
	return the(name, func(_ state, f *v1alpha1.Fleet) error {
		if f.Status.ObservedGeneration != f.Generation {
			return fmt.Errorf("generation %d is observed, not %d", f.Status.ObservedGeneration, f.Generation)
		}
		return nil
	})
}

// says: a condition of the Fleet has a status and a reason.
func says(name, condition string, status metav1.ConditionStatus, reason string) claim {
	return the(name, func(_ state, f *v1alpha1.Fleet) error {
		c := meta.FindStatusCondition(f.Status.Conditions, condition)
		if c == nil {
			return fmt.Errorf("does not say %s; it says %+v", condition, f.Status.Conditions)
		}
		if c.Status != status || c.Reason != reason {
			return fmt.Errorf("says %s=%s for %s (%s), not %s for %s",
				condition, c.Status, c.Reason, c.Message, status, reason)
		}
		return nil
	})
}

// silent: the Fleet has no condition of a type.
func silent(name, condition string) claim {
	return the(name, func(_ state, f *v1alpha1.Fleet) error {
		if c := meta.FindStatusCondition(f.Status.Conditions, condition); c != nil {
			return fmt.Errorf("says %s=%s for %s: %s", condition, c.Status, c.Reason, c.Message)
		}
		return nil
	})
}

// has: the Fleet controls this many pods of all the kinds asked for.
func has(name string, count int, are ...func(*corev1.Pod) bool) claim {
	return the(name, func(now state, _ *v1alpha1.Fleet) error {
		if pods := now.podsOf(name, are...); len(pods) != count {
			return fmt.Errorf("has %v of such pods, not %d; all its pods: %v",
				namesOf(pods), count, namesOf(now.podsOf(name)))
		}
		return nil
	})
}

// without: a pod is gone, or has never been.
func without(pod *corev1.Pod) claim {
	return func(now state) error {
		if there := now.pods[pod.Name]; there != nil && there.UID == pod.UID {
			return fmt.Errorf("pod %s is still there: %s", pod.Name, describePod(there))
		}
		return nil
	}
}

// gone: no Fleet of that name is there.
func gone(name string) claim {
	return func(now state) error {
		if f := now.fleets[name]; f != nil {
			return fmt.Errorf("Fleet %s is still there, held by %v", name, f.Finalizers)
		}
		return nil
	}
}

// ownsNothing: nothing is left that a Fleet, which may be gone, controls.
func ownsNothing(f *v1alpha1.Fleet) claim {
	return func(now state) error {
		var left []string
		for _, pod := range now.pods {
			if metav1.IsControlledBy(pod, f) {
				left = append(left, "pod "+pod.Name)
			}
		}
		for _, revision := range now.revisions {
			if metav1.IsControlledBy(revision, f) {
				left = append(left, "revision "+revision.Name)
			}
		}
		if len(left) > 0 {
			return fmt.Errorf("Fleet %s still owns %v", f.Name, left)
		}
		return nil
	}
}

// counts: the status has these numbers, and is of the Fleet's last change.
func counts(name string, replicas, updated, ready, available int32) claim {
	return all(observed(name), the(name, func(_ state, f *v1alpha1.Fleet) error {
		want := [...]int32{replicas, updated, ready, available}
		s := f.Status
		if have := [...]int32{s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas}; have != want {
			return fmt.Errorf("counts %v pods, updated, ready and available ones, not %v", have, want)
		}
		return nil
	}))
}

// revisions: the Fleet has the revisions of these images and no others, in the order of their numbers.
func revisions(name string, images ...string) claim {
	return the(name, func(now state, _ *v1alpha1.Fleet) error {
		found := now.revisionsOf(name)
		slices.SortFunc(found, byNumber)
		var have []string
		for _, r := range found {
			have = append(have, templateImage(r))
		}
		if !slices.Equal(have, images) {
			return fmt.Errorf("has the revisions of %v, not of %v", have, images)
		}
		return nil
	})
}

func byNumber(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) }

// templateImage is the image of the template that a revision holds; empty if it holds none.
func templateImage(revision *appsv1.ControllerRevision) string {
	var template corev1.PodTemplateSpec
	if err := json.Unmarshal(revision.Data.Raw, &template); err != nil || len(template.Spec.Containers) == 0 {
		return ""
	}
	return template.Spec.Containers[0].Image
}

// mentions: the message of a condition has a text in it.
func mentions(name, condition, text string) claim {
	return the(name, func(_ state, f *v1alpha1.Fleet) error {
		c := meta.FindStatusCondition(f.Status.Conditions, condition)
		if c == nil || !strings.Contains(c.Message, text) {
			return fmt.Errorf("says %+v of %s, which does not mention %q", c, condition, text)
		}
		return nil
	})
}

// hasSome: the Fleet controls at least one pod of all the kinds asked for.
func hasSome(name string, are ...func(*corev1.Pod) bool) claim {
	return the(name, func(now state, _ *v1alpha1.Fleet) error {
		if len(now.podsOf(name, are...)) == 0 {
			return fmt.Errorf("has no such pod; all its pods: %v", namesOf(now.podsOf(name)))
		}
		return nil
	})
}

// either of two claims.
func either(one, other claim) claim {
	return func(now state) error {
		first := one(now)
		if first == nil {
			return nil
		}
		if second := other(now); second != nil {
			return errors.Join(first, second)
		}
		return nil
	}
}
