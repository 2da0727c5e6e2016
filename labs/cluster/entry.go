package cluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Entry is a line of an [Informer]'s record.
type Entry struct {
	Kind Kind
	// What is LIST, WATCH or WATCHLIST (a WATCH that begins with the state) for a request; the type of a watch event, or the
	// code of an error; add, update, delete or tombstone for a call.
	What string
	// Version is the one that a request names, or that of the object that came.
	Version string
	// Pod is what an event or a call is about, Old what an update has replaced.
	Pod, Old *corev1.Pod
}

// Record is what an [Informer] has done, in order.
type Record []Entry

// Of are the entries of a kind.
func (r Record) Of(kind Kind) Record {
	var some Record
	for _, e := range r {
		if e.Kind == kind {
			some = append(some, e)
		}
	}
	return some
}

// Calls are those about a pod.
func (r Record) Calls(pod string) Record {
	var some Record
	for _, e := range r.Of(Call) {
		if e.Pod.Name == pod {
			some = append(some, e)
		}
	}
	return some
}

// Kind is what an entry is about.
type Kind string

// A reflector makes requests, to which events come, and handlers are called.
const (
	Request Kind = "asks for"
	Event   Kind = "gets"
	Call    Kind = "calls"
)

func (e Entry) String() string {
	text := fmt.Sprintf("%-8s  %s", e.Kind, e.What)
	switch {
	case e.Kind == Request && e.Version == "":
		return text + " from no version"
	case e.Kind == Request:
		return text + " from version " + e.Version
	case e.Old != nil && e.Old.UID != e.Pod.UID:
		return text + " " + e.Pod.Name + " to another uid"
	case e.Pod != nil && e.Pod.Name != "":
		return text + " " + e.Pod.Name + " " + e.Pod.Labels[versionLabel]
	}
	return text
}

func asked(what string, options metav1.ListOptions) Entry {
	return Entry{Kind: Request, What: what, Version: options.ResourceVersion}
}

func came(e watch.Event) Entry {
	switch object := e.Object.(type) {
	case *metav1.Status:
		return Entry{Kind: Event, What: fmt.Sprint(object.Code)}
	case *corev1.Pod:
		return Entry{Kind: Event, What: string(e.Type), Version: object.ResourceVersion, Pod: object}
	}
	return Entry{Kind: Event, What: string(e.Type)}
}

func told(what string, old, pod any) Entry {
	e := Entry{Kind: Call, What: what}
	e.Old, _ = old.(*corev1.Pod)
	if e.Pod, _ = pod.(*corev1.Pod); e.Pod != nil {
		e.Version = e.Pod.ResourceVersion
	}
	return e
}
