package proxy

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Skip leaves out the events of w from now on: what becomes of the objects meanwhile is never told, and only the newest
// state is, after Resume. It is the view of a client whose watch broke at Skip and who relisted at Resume; a LIST or
// WatchList of its own shows the client that view before, and passes. As with [Proxy.Hold], bookmarks and the end of a
// watch do not overtake what is left out.
func (p *Proxy) Skip(w Watched) {
	p.requireFrames("Skip")
	p.change(func(c *conditions) { c.skipped[w] = struct{}{} })
}

// Resume ends Skip. Of each object with events left out, every open watch now tells the difference that a relist would
// make, in at most one event:
//
//	ADDED      the client did not know it, and it is there
//	MODIFIED   the client knew it, and it is there
//	DELETED    the client knew it, and nothing by its name is there
//	none       the client never knew it, and it is gone
//
// They come one by one, where a relist brings all at once: a client that takes the version of one event for how far its
// cache has come, as controller-runtime's read-your-writes does, is misled for a moment, as no API server would mislead it.
// [Proxy.Expire] before Resume has it list instead.
//
// An object deleted and created again under its name comes as ADDED, its predecessor's deletion being left out; a Store
// takes it for an update, as it does after a relist.
func (p *Proxy) Resume(w Watched) {
	p.change(func(c *conditions) {
		delete(c.skipped, w)
		for s := range p.streams {
			s.withheld = merge(s.withheld, func(e *event) bool {
				return e.isChange() && w.covers(s.call.Resource, e.Name) && !anyCovers(c.skipped, s.call.Resource, e.Name)
			})
		}
	})
}

// merge leaves of the events skipped what a relist would tell of each object, in the place of its last one.
func merge(queue []*event, skipped func(*event) bool) []*event {
	of := map[types.NamespacedName][]*event{}
	for _, e := range queue {
		if skipped(e) {
			of[e.object()] = append(of[e.object()], e)
		}
	}
	var merged []*event
	for _, e := range queue {
		events := of[e.object()]
		switch {
		case !skipped(e):
			merged = append(merged, e)
		case e == events[len(events)-1]:
			if news := difference(events); news != nil {
				merged = append(merged, news)
			}
		}
	}
	return merged
}

// difference is what a relist after the events of one name tells a client that has heard none of them; nil for nothing.
// The first event tells whether the client knew an object by that name, and which: only an unknown one is ADDED.
func difference(events []*event) *event {
	first, last := events[0], events[len(events)-1]
	known := first.Type != watch.Added
	switch {
	case last.Type != watch.Deleted && known && first.UID == last.UID:
		return last.as(watch.Modified)
	case last.Type != watch.Deleted:
		return last.as(watch.Added)
	case !known:
		return nil
	}
	// The last the API server had to say of the very object that the client knew.
	farewell := first
	for _, e := range events {
		if e.UID == first.UID {
			farewell = e
		}
	}
	return farewell.as(watch.Deleted)
}

// as is the event with another type.
func (e *event) as(kind watch.EventType) *event {
	if e.Type == kind {
		return e
	}
	var frame struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := json.Unmarshal(e.frame, &frame); err != nil {
		panic(err) // it was parsed before
	}
	frame.Type = kind
	text, err := json.Marshal(frame)
	if err != nil {
		panic(err) // it is what was parsed
	}
	other := *e
	other.Type, other.frame = kind, append(text, '\n')
	return &other
}
