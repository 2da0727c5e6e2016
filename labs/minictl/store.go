package minictl

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/watch"
)

// errModified has the words of OptimisticLockErrorMsg in k8s.io/apiserver pkg/registry/generic/registry/store.go.
var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// Store is the API server and its database in one. Objects are copied on the way in and out. Its errors are those of
// k8s.io/apimachinery pkg/api/errors.
type Store struct {
	clock   *Clock
	random  *rand.Rand
	objects map[Kind]map[Key]Object
	// revision counts the writes. An object's resourceVersion is the revision of its last write.
	revision int64
	// compacted is the newest revision that the history no longer leads on from.
	compacted int64
	history   []change
	// rival, if set, is another client, which may get in just before a write. It is asked until it says that it did.
	rival func(Object) bool
}

// NewStore makes an empty store. The names it generates follow from the seed.
func NewStore(clock *Clock, seed int64) *Store {
	return &Store{
		clock:   clock,
		random:  rand.New(rand.NewPCG(uint64(seed), 0)),
		objects: map[Kind]map[Key]Object{PodKind: {}, ReplicaSetKind: {}, DeploymentKind: {}},
	}
}

// A Reader serves reads: the store as things are, or informers as they were last heard to be.
type Reader interface {
	// Get returns a copy of an object, or NotFound.
	Get(Kind, Key) (Object, error)
	// List returns copies of the objects of a namespace that match, in order of name, and the version of the collection.
	List(kind Kind, namespace string, selector labels.Selector) ([]Object, string)
}

func get[T Object](r Reader, key Key) (T, error) {
	var none T
	object, err := r.Get(kindOf(none), key)
	if err != nil {
		return none, err
	}
	return object.(T), nil
}

func list[T Object](r Reader, namespace string) []T {
	var none T
	objects, _ := r.List(kindOf(none), namespace, labels.Everything())
	typed := make([]T, len(objects))
	for i, object := range objects {
		typed[i] = object.(T)
	}
	return typed
}

// Get implements Reader.
func (s *Store) Get(kind Kind, key Key) (Object, error) { return getCopy(s.objects[kind], kind, key) }

// List implements Reader.
func (s *Store) List(kind Kind, namespace string, selector labels.Selector) ([]Object, string) {
	return listCopies(s.objects[kind], namespace, selector), version(s.revision)
}

func getCopy(objects map[Key]Object, kind Kind, key Key) (Object, error) {
	object, ok := objects[key]
	if !ok {
		return nil, apierrors.NewNotFound(kind.groupResource(), key.Name)
	}
	return copyOf(object), nil
}

func listCopies(objects map[Key]Object, namespace string, selector labels.Selector) []Object {
	var found []Object
	for _, key := range sortedKeys(objects) {
		if key.Namespace == namespace && selector.Matches(labels.Set(objects[key].GetLabels())) {
			found = append(found, copyOf(objects[key]))
		}
	}
	return found
}

func sortedKeys[V any](m map[Key]V) []Key {
	return slices.SortedFunc(maps.Keys(m), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

func version(revision int64) string { return strconv.FormatInt(revision, 10) }

// create stores a new object. It fails with AlreadyExists or Invalid.
func create[T Object](s *Store, object T) (T, error) {
	var none T
	kind, created := kindOf(object), copyOf(object)
	created.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
	if created.GetName() == "" {
		created.SetName(s.unusedName(kind, created))
	}
	if _, taken := s.objects[kind][keyOf(created)]; taken {
		return none, apierrors.NewAlreadyExists(kind.groupResource(), created.GetName())
	}
	setDefaults(created)
	if err := validate(created); err != nil {
		return none, err
	}
	created.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012x", s.revision+1)))
	created.SetCreationTimestamp(s.clock.Now())
	created.SetGeneration(1)
	s.commit(watch.Added, created, nil)
	return copyOf(created), nil
}

// update writes everything but the status. It fails with NotFound, Conflict or Invalid.
func update[T Object](s *Store, object T) (T, error) { return write(s, object, specPart) }

// updateStatus writes the status and nothing else. It fails with NotFound or Conflict.
func updateStatus[T Object](s *Store, object T) (T, error) { return write(s, object, statusPart) }

type part bool

const (
	specPart   part = false
	statusPart part = true
)

// write stores one part of an object. One that carries a resourceVersion must carry the latest; one that carries none
// overwrites whatever is there. A write that changes nothing has no effect, so that a controller which writes its
// status on every pass does not wake itself.
func write[T Object](s *Store, sent T, what part) (T, error) {
	s.letRivalWrite(sent)
	var none T
	kind, key := kindOf(sent), keyOf(sent)
	stored, ok := s.objects[kind][key]
	if !ok {
		return none, apierrors.NewNotFound(kind.groupResource(), key.Name)
	}
	if read := sent.GetResourceVersion(); read != "" && read != stored.GetResourceVersion() {
		return none, apierrors.NewConflict(kind.groupResource(), key.Name, errModified)
	}
	candidate := copyOf(stored).(T)
	if what == statusPart {
		copyStatus(candidate, sent)
	} else {
		candidate = copyOf(sent)
		copyStatus(candidate, stored)
		keepServerFields(candidate, stored)
		setDefaults(candidate)
	}
	if equality.Semantic.DeepEqual(Object(candidate), stored) {
		return candidate, nil
	}
	if err := validate(candidate); err != nil {
		return none, err
	}
	if !sameSpec(candidate, stored) {
		candidate.SetGeneration(stored.GetGeneration() + 1)
	}
	s.commit(watch.Modified, candidate, stored)
	return copyOf(candidate), nil
}

func (s *Store) letRivalWrite(before Object) {
	rival := s.rival
	s.rival = nil // its own writes have no rival
	if rival != nil && !rival(before) {
		s.rival = rival
	}
}

// keepServerFields keeps what clients do not write.
func keepServerFields(candidate, stored Object) {
	candidate.GetObjectKind().SetGroupVersionKind(kindOf(stored).GroupVersionKind)
	candidate.SetUID(stored.GetUID())
	candidate.SetCreationTimestamp(stored.GetCreationTimestamp())
	candidate.SetGeneration(stored.GetGeneration())
	candidate.SetResourceVersion(stored.GetResourceVersion())
}

// Delete removes an object at once. It fails with NotFound.
func (s *Store) Delete(kind Kind, key Key) error {
	object, err := s.Get(kind, key)
	if err != nil {
		return err
	}
	s.commit(watch.Deleted, object, s.objects[kind][key])
	return nil
}

// commit stamps a change with the next revision and appends it to the history.
func (s *Store) commit(action watch.EventType, object, before Object) {
	s.revision++
	object.SetResourceVersion(version(s.revision))
	objects := s.objects[kindOf(object)]
	if action == watch.Deleted {
		delete(objects, keyOf(object))
	} else {
		objects[keyOf(object)] = object
	}
	s.history = append(s.history, change{action, object, before})
}

// unusedName completes an object's generateName with five characters.
func (s *Store) unusedName(kind Kind, object Object) string {
	for {
		suffix := make([]byte, 5)
		for i := range suffix {
			suffix[i] = byte(s.random.IntN(27)) // an alphabet without vowels, so that it spells no words
		}
		name := object.GetGenerateName() + utilrand.SafeEncodeString(string(suffix))
		if _, taken := s.objects[kind][Key{Namespace: object.GetNamespace(), Name: name}]; !taken {
			return name
		}
	}
}
