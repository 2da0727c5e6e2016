package witness

import (
	"reflect"
	"slices"

	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/labs/drawing"
)

// Testimony is what was seen of a controller at work.
type Testimony struct {
	// Sightings are the stacks on which the stages were first seen.
	Sightings map[drawing.Stage]Sighting
	// Order is that in which they were.
	Order []drawing.Stage
	// Requests are those of the reflector, watch or list.
	Requests []string
	// Store is the type of the informer's store.
	Store string

	Events, Reconciles, Writes int
	// KnownWhenAdded and KnownWhenDeleted tell whether an object was in the indexer while a handler was told of it.
	KnownWhenAdded, KnownWhenDeleted bool
	// StoredMeanwhile tells whether the indexer was updated while a handler did not return.
	StoredMeanwhile bool
}

// Sighting is where the witness of a stage was called from.
type Sighting struct {
	Goroutine string
	Stack     Stack
}

// saw keeps the caller's stack as that of a stage that was not seen before.
func (m *machine) saw(stage drawing.Stage) {
	sighting := Sighting{goroutine(), here(1)}
	m.note(func(t *Testimony) {
		if _, seen := t.Sightings[stage]; !seen {
			t.Sightings[stage] = sighting
			t.Order = append(t.Order, stage)
		}
	})
}

func (m *machine) note(what func(*Testimony)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	what(&m.testimony)
}

// Queue is the type of the queue that the informer has built.
func (t Testimony) Queue() string { return t.Sightings[drawing.FIFO].Stack.theirs()[0].Receiver }

// Goroutines is how many different ones were seen at the stages.
func (t Testimony) Goroutines() int {
	different := map[string]bool{}
	for _, s := range t.Sightings {
		different[s.Goroutine] = true
	}
	return len(different)
}

// Goroutine is the number of the one that a stage was seen on.
func (t Testimony) Goroutine(stage drawing.Stage) string {
	switch stage {
	case drawing.Informer:
		stage = drawing.Indexer
	case drawing.Listeners:
		stage = drawing.Handlers
	}
	return t.Sightings[stage].Goroutine
}

// Calls are those in which a stage was seen, the innermost first: the calls of the type that called the witness. Those of the
// informer are between the store's and the queue's, on the goroutine that has all three on its stack.
func (t Testimony) Calls(stage drawing.Stage) Stack {
	switch stage {
	case drawing.Handlers, drawing.Worker, drawing.Reconcile:
		return t.Sightings[stage].Stack[:1]
	case drawing.Listeners:
		return leading(t.Sightings[drawing.Handlers].Stack.theirs())
	case drawing.Indexer:
		stack := t.Sightings[drawing.Indexer].Stack.theirs()
		return stack[:stack.outermost(t.Store)]
	case drawing.Informer:
		stack := t.Sightings[drawing.Indexer].Stack.theirs()
		return stack[stack.outermost(t.Store):stack.innermost(t.Queue())]
	default:
		return leading(t.Sightings[stage].Stack.theirs())
	}
}

// leading are the innermost calls, as far as they are of one type.
func leading(s Stack) Stack {
	end := slices.IndexFunc(s, func(f Frame) bool { return f.Receiver != s[0].Receiver })
	if end < 0 {
		return s
	}
	return s[:end]
}

// Files are those of the calls.
func (t Testimony) Files() drawing.Files {
	files := drawing.Files{}
	for _, stage := range drawing.Whole.Stages() {
		if stage == drawing.APIServer {
			continue
		}
		for _, call := range t.Calls(stage) {
			if !slices.Contains(files[stage], call.Path()) {
				files[stage] = append(files[stage], call.Path())
			}
		}
	}
	return files
}

// typeName is the name of what a store is, without its package.
func typeName(store cache.Store) string { return reflect.TypeOf(store).Elem().Name() }
