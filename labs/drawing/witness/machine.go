package witness

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/twinloop/labs/drawing"
)

// machine is a controller of ConfigMaps with a witness wherever client-go calls out. It marks the ConfigMap web, once, and that
// is all.
type machine struct {
	source   *source
	informer cache.SharedIndexInformer
	queue    workqueue.TypedInterface[string]
	lister   listers.ResourceIndexer[*corev1.ConfigMap]

	// reconciled has the key of every reconcile that is over.
	reconciled chan string
	// handling has room for one: the handler, or who holds it up.
	handling chan struct{}

	mu        sync.Mutex
	testimony Testimony
}

const (
	namespace = "default"
	web       = "web"
	marked    = "marked"
)

func newMachine() (*machine, error) {
	m := &machine{
		reconciled: make(chan string, 100), // more than there are
		handling:   make(chan struct{}, 1),
		testimony:  Testimony{Sightings: map[drawing.Stage]Sighting{}},
	}
	m.source = newSource(m.asked)
	m.informer = cache.NewSharedIndexInformer(m.source, &corev1.ConfigMap{}, 0, cache.Indexers{"witness": m.indexed})
	m.queue = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{
		Queue: witnessedQueue{workqueue.DefaultQueue[string](), m},
	})
	m.lister = listers.New[*corev1.ConfigMap](witnessedIndexer{m.informer.GetIndexer(), m}, corev1.Resource("configmaps"))
	if err := m.informer.SetTransform(m.transformed); err != nil {
		return nil, err
	}
	_, err := m.informer.AddEventHandler(handler{m})
	return m, err
}

// asked is called by a reflector, in place of an API server.
func (m *machine) asked(request string) {
	m.mu.Lock()
	m.testimony.Requests = append(m.testimony.Requests, request)
	m.mu.Unlock()
	m.saw(drawing.Reflector)
}

// transformed is called with every object before it is stored.
func (m *machine) transformed(object any) (any, error) {
	m.saw(drawing.FIFO)
	return object, nil
}

// indexed is called by the store that the object is put into.
func (m *machine) indexed(any) ([]string, error) {
	m.saw(drawing.Indexer)
	return nil, nil
}

// handler is what an author of controllers gives to an informer: it enqueues keys.
type handler struct{ *machine }

func (h handler) OnAdd(object any, _ bool) {
	h.handling <- struct{}{}
	defer func() { <-h.handling }()
	h.saw(drawing.Handlers)
	h.note(func(t *Testimony) { t.KnownWhenAdded = h.knows(object) })
	h.enqueue(object)
}

func (h handler) OnUpdate(_, object any) {
	h.enqueue(object)
}

func (h handler) OnDelete(object any) {
	h.note(func(t *Testimony) { t.KnownWhenDeleted = h.knows(object) })
	h.enqueue(object)
}

func (h handler) enqueue(object any) {
	h.note(func(t *Testimony) { t.Events++ })
	h.queue.Add(cache.MetaObjectToName(object.(metav1.Object)).String())
}

// knows tells whether an object is in the indexer.
func (m *machine) knows(object any) bool {
	_, exists, err := m.informer.GetIndexer().Get(object)
	return exists && err == nil
}

// witnessedQueue is the storage of a workqueue.
type witnessedQueue struct {
	workqueue.Queue[string]
	*machine
}

func (q witnessedQueue) Push(key string) {
	q.saw(drawing.Workqueue)
	q.Queue.Push(key)
}

// work is the worker.
func (m *machine) work() {
	for {
		key, shutdown := m.queue.Get()
		if shutdown {
			return
		}
		m.saw(drawing.Worker)
		m.reconcile(key)
		m.queue.Done(key)
		m.reconciled <- key
	}
}

func (m *machine) reconcile(key string) {
	m.saw(drawing.Reconcile)
	m.note(func(t *Testimony) { t.Reconciles++ })
	name, err := cache.ParseObjectName(key)
	if err != nil {
		panic(err) // the handler made it
	}
	object, err := listers.NewNamespaced(m.lister, name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) || object.Labels[marked] != "" || object.Name != web {
		return
	}
	object = object.DeepCopy()
	object.Labels = map[string]string{marked: "yes"}
	m.note(func(t *Testimony) { t.Writes++ })
	m.source.tell(watch.Modified, object)
}

// witnessedIndexer is the informer's indexer, for a lister to read.
type witnessedIndexer struct {
	cache.Indexer
	*machine
}

func (i witnessedIndexer) GetByKey(key string) (any, bool, error) {
	i.saw(drawing.Lister)
	return i.Indexer.GetByKey(key)
}
