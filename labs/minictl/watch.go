package minictl

import (
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// change is a write, as the history keeps it.
type change struct {
	action watch.EventType
	object Object
	before Object // nil when the object was added
}

// An Event tells a watcher of a change. A deleted object is as it last was.
type Event struct {
	Type   watch.EventType
	Object Object
}

// Watch returns what changed after a version, in order, as a watcher of one namespace and selector sees it, and the
// version to go on from. It fails with Expired (410) when the history no longer reaches back to the version: then only
// a new list helps.
func (s *Store) Watch(kind Kind, namespace string, selector labels.Selector, since string) ([]Event, string, error) {
	from, err := strconv.ParseInt(since, 10, 64)
	if err != nil {
		return nil, "", apierrors.NewBadRequest(fmt.Sprintf("resourceVersion: must be one that a list returned, not %q", since))
	}
	if from < s.compacted {
		return nil, "", apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	var events []Event
	// Revisions have no gaps, so they are also places in the history.
	for _, c := range s.history[min(from-s.compacted, int64(len(s.history))):] {
		if kindOf(c.object) != kind || c.object.GetNamespace() != namespace {
			continue
		}
		if seen, ok := c.seenThrough(selector); ok {
			events = append(events, Event{seen, copyOf(c.object)})
		}
	}
	return events, version(s.revision), nil
}

// seenThrough is what a change is to a watcher with a selector: an object that begins to match was added, for that
// watcher, and one that ceases to match was deleted.
func (c change) seenThrough(selector labels.Selector) (watch.EventType, bool) {
	before := c.before != nil && selector.Matches(labels.Set(c.before.GetLabels()))
	after := c.action != watch.Deleted && selector.Matches(labels.Set(c.object.GetLabels()))
	switch {
	case before && after:
		return watch.Modified, true
	case after:
		return watch.Added, true
	case before:
		return watch.Deleted, true
	}
	return "", false
}

// Compact forgets the history up to now, as etcd does when kube-apiserver asks it to, every 5 minutes.
func (s *Store) Compact() {
	s.compacted = s.revision
	s.history = nil
}
