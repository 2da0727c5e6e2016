package fleet

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// history is what is known of a Fleet's templates.
type history struct {
	// revisions are in the order of their numbers, the newest last.
	revisions []*appsv1.ControllerRevision
	// wanted is the newest revision of the wanted template; nil when it has none.
	wanted *appsv1.ControllerRevision
	// update is the revision to roll out; nil when nothing may be rolled out yet.
	update *appsv1.ControllerRevision
	// current is the revision that was last rolled out completely; nil when none was, or when it is gone.
	current *appsv1.ControllerRevision
}

// readHistory finds the revisions that a status names, without deciding anything.
func readHistory(f *v1alpha1.Fleet, revisions []*appsv1.ControllerRevision) history {
	named := func(name string) *appsv1.ControllerRevision {
		i := slices.IndexFunc(revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == name })
		if i < 0 {
			return nil
		}
		return revisions[i]
	}
	h := history{
		revisions: slices.SortedFunc(slices.Values(revisions), func(a, b *appsv1.ControllerRevision) int {
			return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
		}),
		update:  named(f.Status.UpdateRevision),
		current: named(f.Status.CurrentRevision),
	}
	for _, revision := range slices.Backward(h.revisions) {
		if holds(revision, f.Spec.Template) {
			h.wanted = revision
			break
		}
	}
	return h
}

func (h history) newest() *appsv1.ControllerRevision {
	if len(h.revisions) == 0 {
		return nil
	}
	return h.revisions[len(h.revisions)-1]
}

// pending reports whether the Fleet keeps to another template than the wanted one. Where there are no pods, their counts
// do not tell.
func (h history) pending() bool { return h.wanted != h.update }

// decideRevisions takes the revision of the wanted template, and makes it the newest. A paused Fleet stays with the
// newest revision it has.
func (p *Plan) decideRevisions(f *v1alpha1.Fleet) error {
	p.history = readHistory(f, p.history.revisions)
	h := &p.history
	newest := h.newest()
	if f.Spec.Paused {
		h.update = newest
		return nil
	}
	number := int64(1)
	switch {
	case newest == nil:
	case newest == h.wanted:
		h.update = newest
		return nil
	case newest.Revision == math.MaxInt64:
		return noNumberAfter(newest.Name)
	default:
		number = newest.Revision + 1
	}
	if h.wanted != nil {
		p.Renumber = &Renumbering{Revision: h.wanted, Number: number}
	} else {
		p.NewRevision = newRevision(f, number)
		h.wanted = p.NewRevision
	}
	h.update = h.wanted
	return nil
}

// prunable are the oldest revisions beyond the history limit. One that is in use does not count as history.
func prunable(f *v1alpha1.Fleet, h history, claimed []*corev1.Pod) []*appsv1.ControllerRevision {
	inUse := map[string]bool{}
	for _, pod := range claimed {
		inUse[revisionHash(pod)] = true
	}
	old := filter(h.revisions, func(r *appsv1.ControllerRevision) bool {
		return r != h.update && r != h.current && !inUse[hashOf(r)]
	})
	keep := int(ptr.Deref(f.Spec.RevisionHistoryLimit, 10))
	return old[:max(0, len(old)-keep)]
}

// SameTemplate reports whether two revisions hold the same template.
func SameTemplate(a, b *appsv1.ControllerRevision) bool {
	template, err := templateOf(a)
	return err == nil && holds(b, template)
}

// holds compares meanings, not spellings: a template with 1.5Gi is the same as one with 1536Mi.
func holds(revision *appsv1.ControllerRevision, wanted corev1.PodTemplateSpec) bool {
	template, err := templateOf(revision)
	return err == nil && equality.Semantic.DeepEqual(template, wanted)
}

func templateOf(revision *appsv1.ControllerRevision) (corev1.PodTemplateSpec, error) {
	var template corev1.PodTemplateSpec
	if err := json.Unmarshal(revision.Data.Raw, &template); err != nil {
		return template, fmt.Errorf("ControllerRevision %s holds no pod template: %w", revision.Name, err)
	}
	return template, nil
}

func newRevision(f *v1alpha1.Fleet, number int64) *appsv1.ControllerRevision {
	template, err := canonical(f.Spec.Template)
	if err != nil {
		panic(fmt.Sprintf("a pod template that was read from JSON cannot be written as JSON: %v", err))
	}
	hash := templateHash(template, f.Status.CollisionCount)
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name:            revisionName(f, hash),
			Namespace:       f.Namespace,
			Labels:          withHash(f.Spec.Template.Labels, hash),
			OwnerReferences: []metav1.OwnerReference{AdoptionOf(f)},
		},
		Data:     runtime.RawExtension{Raw: template},
		Revision: number,
	}
}

// canonical writes a template as the API server writes it when it patches a revision: with its keys in order. The data
// of a revision are immutable to the byte, so one with any other order could neither be adopted nor orphaned.
func canonical(template corev1.PodTemplateSpec) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template)
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// templateHash is a short name for a template. It is of the wanted template alone, never of a live object, so that
// defaults cannot change it. As k8s.io/kubernetes@v1.37.2/pkg/controller/controller_utils.go:1395#ComputeHash.
func templateHash(template []byte, collisions *int32) string {
	hasher := fnv.New32a()
	_, _ = hasher.Write(template)
	if collisions != nil {
		_ = binary.Write(hasher, binary.LittleEndian, uint32(*collisions))
	}
	return rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

func revisionName(f *v1alpha1.Fleet, hash string) string { return f.Name + "-" + hash }

// revisionNameOf is the name a revision would have if it were this Fleet's.
func revisionNameOf(f *v1alpha1.Fleet, revision *appsv1.ControllerRevision) string {
	return revisionName(f, hashOf(revision))
}

func hashOf(revision *appsv1.ControllerRevision) string {
	return revision.Labels[appsv1.ControllerRevisionHashLabelKey]
}

// withHash returns the labels of a template's pods and revision. A template may have no labels of its own, where the
// selector only says which labels must be missing.
func withHash(labels map[string]string, hash string) map[string]string {
	set := map[string]string{}
	maps.Copy(set, labels)
	set[appsv1.ControllerRevisionHashLabelKey] = hash
	return set
}

// NewPod returns the pod to create for a Fleet from one of its revisions. The API server completes its name.
func NewPod(f *v1alpha1.Fleet, revision *appsv1.ControllerRevision) (*corev1.Pod, error) {
	template, err := templateOf(revision)
	if err != nil {
		return nil, err
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    revision.Name + "-",
			Namespace:       f.Namespace,
			Labels:          withHash(template.Labels, hashOf(revision)),
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{AdoptionOf(f)},
		},
		Spec: template.Spec,
	}, nil
}
