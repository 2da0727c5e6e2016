package fleet

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Observed is what one reconcile of a Fleet sees of the cluster.
type Observed struct {
	Fleet *v1alpha1.Fleet
	// Pods of the Fleet's namespace that it controls, or that nobody controls.
	Pods []*corev1.Pod
	// Revisions of the Fleet's namespace that it controls, or that nobody controls.
	Revisions []*appsv1.ControllerRevision
	// Siblings are the Fleets of the same namespace; the Fleet itself may be among them.
	Siblings []*v1alpha1.Fleet
	Now      time.Time
}

// Plan is what is to be done about a Fleet, in the order of the fields. An empty plan is a settled Fleet.
type Plan struct {
	// Adopt are pods that match the selector and that nobody controls; Release are controlled pods that stopped
	// matching. AdoptRevisions are the revisions to adopt.
	Adopt, Release []*corev1.Pod
	AdoptRevisions []*appsv1.ControllerRevision

	// NewRevision is to be created for a template seen for the first time.
	NewRevision *appsv1.ControllerRevision
	// Renumber is an existing revision that becomes the newest again, with the number that it gets.
	Renumber *Renumbering

	// Create and Delete move the pods one step towards what is wanted. Both may be carried out at once and in any
	// order: the bounds of the roll hold after every single effect.
	Create []Creation
	Delete []Deletion

	// Prune are old revisions beyond the history limit.
	Prune []*appsv1.ControllerRevision

	// LookAgain is how long from now time alone changes the answer; 0 means that it does not.
	LookAgain time.Duration

	// claimed and history are what the Fleet owns once Adopt and Release are done; the status counts them.
	claimed []*corev1.Pod
	history history
	refusal *refusal
	// revisionFailure is why no revision of the wanted template can be asked for.
	revisionFailure error
}

// Renumbering gives a revision a new number.
type Renumbering struct {
	Revision *appsv1.ControllerRevision
	Number   int64
}

// Creation is a number of pods to create from one revision.
type Creation struct {
	Revision *appsv1.ControllerRevision
	Count    int
}

// Deletion is a pod to delete, and why.
type Deletion struct {
	Pod *corev1.Pod
	Why DeletionReason
}

// DeletionReason says why a pod is deleted.
type DeletionReason string

const (
	// Surplus pods are more than the Fleet wants.
	Surplus DeletionReason = "surplus"
	// Outdated pods are of an old template.
	Outdated DeletionReason = "outdated"
)

// Empty reports whether a plan changes nothing.
func (p Plan) Empty() bool {
	return len(p.Adopt) == 0 && len(p.Release) == 0 && len(p.AdoptRevisions) == 0 &&
		p.NewRevision == nil && p.Renumber == nil && len(p.Create) == 0 && len(p.Delete) == 0 && len(p.Prune) == 0
}

// Decide returns the next step for a Fleet.
//
// A Fleet that is being deleted is left to the garbage collector, and one whose spec cannot be acted on is left
// alone; both still have a status.
func Decide(seen Observed) Plan {
	selector, refused := selectorOf(seen.Fleet)
	if refused != nil {
		return Plan{
			claimed: controlledBy(seen.Fleet, seen.Pods),
			history: readHistory(seen.Fleet, controlledBy(seen.Fleet, seen.Revisions)),
			refusal: refused,
		}
	}
	var plan Plan
	plan.claimPods(seen, selector)
	plan.claimRevisions(seen, selector)
	if seen.Fleet.DeletionTimestamp != nil {
		plan.history = readHistory(seen.Fleet, plan.history.revisions)
		return plan
	}
	if failure := plan.decideRevisions(seen.Fleet); failure != nil {
		plan = DecideWithoutRevision(seen)
		plan.revisionFailure = failure
		return plan
	}
	plan.decidePods(seen.Fleet, seen.Now)
	plan.Prune = prunable(seen.Fleet, plan.history, plan.claimed)
	plan.LookAgain = nextChange(seen, plan)
	return plan
}

// DecideWithoutRevision returns the next step for a Fleet whose wanted template can have no revision: as if it were
// paused, it scales and heals with the revisions that there are.
func DecideWithoutRevision(seen Observed) Plan {
	seen.Fleet = seen.Fleet.DeepCopy()
	seen.Fleet.Spec.Paused = true
	return Decide(seen)
}
