package fleet

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// claim is what is to be done about an object that may or may not belong to a Fleet.
type claim int

const (
	ignore  claim = iota // it belongs to another controller, or to nobody and does not match
	own                  // it is controlled by the Fleet and stays so
	adopt                // it matches and nobody controls it
	release              // the Fleet controls it, and it no longer matches
)

// claimOf is the decision tree of
// k8s.io/kubernetes@v1.37.2/pkg/controller/controller_ref_manager.go:69#BaseControllerRefManager.ClaimObject.
func claimOf(f *v1alpha1.Fleet, object metav1.Object, matches bool) claim {
	controller := metav1.GetControllerOfNoCopy(object)
	switch {
	case controller != nil && controller.UID != f.UID:
		return ignore
	case controller != nil && matches:
		return own
	case f.DeletionTimestamp != nil:
		// The garbage collector decides what becomes of the dependents of a Fleet that is being deleted.
		return ignore
	case controller != nil:
		return release
	case !matches || object.GetDeletionTimestamp() != nil:
		return ignore
	default:
		return adopt
	}
}

func (p *Plan) claimPods(seen Observed, selector labels.Selector) {
	for _, pod := range seen.Pods {
		if !Live(pod) {
			// Nobody quarantines or adopts a pod that is gone already, but one that is still going is waited for.
			if metav1.IsControlledBy(pod, seen.Fleet) {
				p.claimed = append(p.claimed, pod)
			}
			continue
		}
		switch claimOf(seen.Fleet, pod, selector.Matches(labels.Set(pod.Labels))) {
		case own:
			p.claimed = append(p.claimed, pod)
		case adopt:
			p.Adopt = append(p.Adopt, pod)
			p.claimed = append(p.claimed, pod)
		case release:
			p.Release = append(p.Release, pod)
		}
	}
}

func (p *Plan) claimRevisions(seen Observed, selector labels.Selector) {
	for _, revision := range seen.Revisions {
		switch claimOf(seen.Fleet, revision, selector.Matches(labels.Set(revision.Labels))) {
		case own, release: // the labels of a revision are for people; nobody quarantines one
			p.history.revisions = append(p.history.revisions, revision)
		case adopt:
			if revisionNameOf(seen.Fleet, revision) != revision.Name {
				continue // the history of some other owner, whose pods happen to match
			}
			p.AdoptRevisions = append(p.AdoptRevisions, revision)
			p.history.revisions = append(p.history.revisions, revision)
		}
	}
}

func controlledBy[T metav1.Object](f *v1alpha1.Fleet, objects []T) []T {
	return filter(objects, func(object T) bool { return metav1.IsControlledBy(object, f) })
}

// Overlaps reports whether one of two Fleets selects the pods of the other. It is symmetric, so that both say so.
func Overlaps(a, b *v1alpha1.Fleet) bool {
	return a.Namespace == b.Namespace && (Selects(a, b.Spec.Template.Labels) || Selects(b, a.Spec.Template.Labels))
}

// Selects reports whether a Fleet's selector matches a set of labels. A selector that is invalid or empty matches none.
//
// Every Fleet is held against every other of its namespace. Nearly all of them differ in matchLabels, which can be seen
// without parsing the selector.
func Selects(f *v1alpha1.Fleet, set map[string]string) bool {
	for key, value := range f.Spec.Selector.MatchLabels {
		if set[key] != value {
			return false
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(f.Spec.Selector)
	return err == nil && !selector.Empty() && selector.Matches(labels.Set(set))
}

// refusal is why a Fleet cannot be acted on, where its schema could not say so.
type refusal struct{ reason, message string }

func selectorOf(f *v1alpha1.Fleet) (labels.Selector, *refusal) {
	selector, err := metav1.LabelSelectorAsSelector(f.Spec.Selector)
	switch {
	case err != nil:
		return nil, &refusal{v1alpha1.ReasonInvalidSelector, fmt.Sprintf("spec.selector: %v", err)}
	case selector.Empty():
		return nil, &refusal{v1alpha1.ReasonInvalidSelector, "spec.selector must not be empty"}
	case !selector.Matches(labels.Set(f.Spec.Template.Labels)):
		return nil, &refusal{v1alpha1.ReasonInvalidSelector,
			fmt.Sprintf("spec.selector %q does not match spec.template.metadata.labels; add the labels it asks for", selector)}
	case asksFor(selector, appsv1.ControllerRevisionHashLabelKey):
		return nil, &refusal{v1alpha1.ReasonInvalidSelector,
			fmt.Sprintf("spec.selector must not ask for %q: the operator sets it, to another value for every template",
				appsv1.ControllerRevisionHashLabelKey)}
	}
	return selector, nil
}

func asksFor(selector labels.Selector, key string) bool {
	requirements, _ := selector.Requirements()
	return slices.ContainsFunc(requirements, func(r labels.Requirement) bool { return r.Key() == key })
}

// AdoptionOf returns the owner reference that makes a Fleet the controller of an object.
func AdoptionOf(f *v1alpha1.Fleet) metav1.OwnerReference {
	return *metav1.NewControllerRef(f, v1alpha1.FleetKind)
}
