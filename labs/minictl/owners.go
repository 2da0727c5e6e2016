package minictl

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// tenure is what a controller has to do about an object that it may own.
type tenure int

const (
	ignore tenure = iota
	keep
	adopt
	release
)

// decideTenure compares two claims to an object: the reference it carries, and the selector it matches. As
// ClaimObject in k8s.io/kubernetes pkg/controller/controller_ref_manager.go.
func decideTenure(owner types.UID, selector labels.Selector, object metav1.Object) tenure {
	ref := metav1.GetControllerOf(object)
	matches := selector.Matches(labels.Set(object.GetLabels()))
	switch {
	case ref == nil && matches:
		return adopt
	case ref == nil || ref.UID != owner:
		return ignore
	case matches:
		return keep
	}
	return release
}

// claim returns the objects that an owner controls, after it adopted those that match and that nobody controls, and
// released those that match no longer.
func claim[T Object](s *Store, owner Object, candidates []T) ([]T, error) {
	var claimed []T
	for _, object := range candidates {
		decided := decideTenure(owner.GetUID(), selectorOf(owner), object)
		var err error
		switch decided {
		case ignore:
			continue
		case adopt:
			ref := metav1.NewControllerRef(owner, kindOf(owner).GroupVersionKind)
			object.SetOwnerReferences(append(object.GetOwnerReferences(), *ref))
			object, err = update(s, object)
		case release:
			dropOwner(object, owner.GetUID())
			_, err = update(s, object)
		}
		if err != nil {
			return nil, err
		}
		if decided != release {
			claimed = append(claimed, object)
		}
	}
	return claimed, nil
}

func dropOwner(object Object, owner types.UID) {
	object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner
	}))
}

// selectorOf is a controller's selector. Validation saw to it that there is a sound one.
func selectorOf(owner Object) labels.Selector {
	var wanted *metav1.LabelSelector
	switch owner := owner.(type) {
	case *appsv1.ReplicaSet:
		wanted = owner.Spec.Selector
	case *appsv1.Deployment:
		wanted = owner.Spec.Selector
	}
	selector, err := metav1.LabelSelectorAsSelector(wanted)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// collectGarbage deletes the objects whose owners are all gone, and returns them. An object that is deleted here
// orphans what it owned for the next pass, so a cascade moves one level a pass.
func collectGarbage(s *Store) []Object {
	live := map[types.UID]bool{}
	for _, kind := range kinds {
		for _, object := range s.objects[kind] {
			live[object.GetUID()] = true
		}
	}
	var doomed []Object
	for _, kind := range kinds {
		for _, key := range sortedKeys(s.objects[kind]) {
			object := s.objects[kind][key]
			refs := object.GetOwnerReferences()
			if len(refs) > 0 && !slices.ContainsFunc(refs, func(ref metav1.OwnerReference) bool { return live[ref.UID] }) {
				doomed = append(doomed, object)
			}
		}
	}
	for _, object := range doomed {
		s.Delete(kindOf(object), keyOf(object)) // it was there a moment ago, and nobody else runs
	}
	return doomed
}

// DeleteOrphaning deletes an owner and lets what it owned live on without it. It fails with NotFound.
func (s *Store) DeleteOrphaning(kind Kind, key Key) error {
	owner, err := s.Get(kind, key)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		dependents, _ := s.List(kind, key.Namespace, labels.Everything())
		for _, dependent := range dependents {
			dropOwner(dependent, owner.GetUID())
			if _, err := update(s, dependent); err != nil {
				return err
			}
		}
	}
	return s.Delete(kind, key)
}
