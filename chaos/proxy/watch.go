package proxy

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// A WatchEvent is one event of a watch as it passed the proxy.
type WatchEvent struct {
	// Watch is the place of the request that opened the watch.
	Watch Place
	Time  time.Time
	Type  watch.EventType
	// Kind is the object's: Pod, Fleet; Status when Type is ERROR.
	Kind            string
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
}

// An event is a frame of a watch and what it says.
type event struct {
	WatchEvent        // Type is empty if the frame is no watch event
	endOfInitial bool // the bookmark that ends a WatchList's initial events
	initial      bool // of a WatchList: the state as it was, and not a change
	frame        []byte
}

// parseEvent reads the JSON of a frame.
func parseEvent(frame []byte) *event {
	var text struct {
		Type   watch.EventType              `json:"type"`
		Object metav1.PartialObjectMetadata `json:"object"`
	}
	e := &event{frame: frame}
	if err := json.Unmarshal(frame, &text); err != nil {
		return e
	}
	e.endOfInitial = text.Type == watch.Bookmark && text.Object.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	e.WatchEvent = WatchEvent{
		Type:            text.Type,
		Kind:            text.Object.Kind,
		Namespace:       text.Object.Namespace,
		Name:            text.Object.Name,
		UID:             text.Object.UID,
		ResourceVersion: text.Object.ResourceVersion,
	}
	return e
}

// isState tells whether the event is about one object; bookmarks and errors are about the whole watch.
func (e *event) isState() bool {
	return e.Type == watch.Added || e.Type == watch.Modified || e.Type == watch.Deleted
}

// isChange tells whether the event says that an object has become another.
func (e *event) isChange() bool { return e.isState() && !e.initial }

func (e *event) object() types.NamespacedName {
	return types.NamespacedName{Namespace: e.Namespace, Name: e.Name}
}
