package onepop

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// event is what a reflector tells a queue.
type event struct {
	kind cache.DeltaType
	name string
}

func (e event) String() string { return e.name + " " + strings.ToLower(string(e.kind)) }

// object is any object with this name.
func object(name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// feed does what a reflector does with events.
func feed(queue cache.Queue, events ...event) error {
	for _, e := range events {
		tell := map[cache.DeltaType]func(any) error{
			cache.Added: queue.Add, cache.Updated: queue.Update, cache.Deleted: queue.Delete,
		}
		if err := tell[e.kind](object(e.name)); err != nil {
			return err
		}
	}
	return nil
}

// popAll is what each Pop returns, until the queue is empty.
func popAll(queue cache.Queue) ([]cache.Deltas, error) {
	queue.Close() // so that Pop does not wait for more
	var pops []cache.Deltas
	for {
		_, err := queue.Pop(func(popped any, _ bool) error {
			pops = append(pops, popped.(cache.Deltas))
			return nil
		})
		if errors.Is(err, cache.ErrFIFOClosed) {
			return pops, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// popBatches is what each PopBatch returns, until the queue is empty.
func popBatches(queue cache.QueueWithBatch) ([]cache.Deltas, error) {
	queue.Close()
	var batches []cache.Deltas
	for {
		err := queue.PopBatch(
			func(deltas []cache.Delta, _ bool) error {
				batches = append(batches, deltas)
				return nil
			},
			func(popped any, _ bool) error {
				batches = append(batches, popped.(cache.Deltas))
				return nil
			})
		if errors.Is(err, cache.ErrFIFOClosed) {
			return batches, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// describe is a delta in a few words.
func describe(delta cache.Delta) string {
	switch o := delta.Object.(type) {
	case *metav1.PartialObjectMetadata:
		return event{delta.Type, o.Name}.String()
	case cache.DeletedFinalStateUnknown:
		return event{delta.Type, o.Key}.String() + " (tombstone)"
	case cache.ReplacedAllInfo:
		return fmt.Sprintf("all replaced by %d object", len(o.Objects))
	}
	return string(delta.Type)
}

// describeAll are the deltas of some pops, in a line for each pop.
func describeAll(pops []cache.Deltas) []string {
	var lines []string
	for _, deltas := range pops {
		var all []string
		for _, delta := range deltas {
			all = append(all, describe(delta))
		}
		lines = append(lines, strings.Join(all, ", "))
	}
	return lines
}

// flatten are the deltas of some pops, one after the other.
func flatten(pops []cache.Deltas) cache.Deltas {
	var all cache.Deltas
	for _, deltas := range pops {
		all = append(all, deltas...)
	}
	return all
}
