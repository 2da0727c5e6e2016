package unseendelete

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"example.com/twinloop/labs/cluster"
)

// whileItWatches has pods deleted before the informers' eyes.
func (e *experiment) whileItWatches(ctx context.Context) error {
	e.Say("\nWhile it watches, one pod is labelled v2 and deleted, and another deleted and created again:")
	e.begin()
	err := e.cluster.Do(ctx, cluster.Label(seen, "v2"), cluster.Delete(seen), cluster.Replace(seenSwap))
	if err != nil {
		return err
	}
	if err := e.await(ctx, seenSwap); err != nil {
		return err
	}
	record := e.informer.Record()
	e.show(record)

	deletion, _, err := e.witness.deletionOf(ctx, seen)
	if err != nil {
		return err
	}
	calls := record.Calls(seen)
	stored, deleted := calls[len(calls)-2], calls[len(calls)-1]
	newer, err := resourceversion.CompareResourceVersion(deleted.Version, stored.Version)
	if err != nil {
		return err
	}
	failures := 0
	for _, w := range ways {
		if w.outcome(deletion) != enqueued {
			failures++
		}
	}
	e.Measure("seen-tombstone", deleted.What == "tombstone")
	e.Measure("seen-version", deleted.Pod.Labels["version"])
	e.Measure("seen-newer-than-stored", newer > 0)
	e.Measure("seen-failures", failures)
	e.Measure("seen-listed", slices.Contains(deletion.listed, seen))
	e.Measure("seen-swap", swap(record, seenSwap))
	return nil
}

// What handlers can be told of a pod whose name another has taken.
const (
	deleteAndAdd = "a delete and an add"
	oneUpdate    = "an update"
)

// swap is what has been told of a pod's name, but for updates of one and the same pod: before it is gone, a pod is marked.
func swap(record cluster.Record, name string) string {
	var told []string
	for _, call := range record.Calls(name) {
		if call.Old == nil || call.Old.UID != call.Pod.UID {
			told = append(told, call.What)
		}
	}
	switch {
	case slices.Equal(told, []string{"delete", "add"}):
		return deleteAndAdd
	case slices.Equal(told, []string{"update"}):
		return oneUpdate
	}
	return fmt.Sprint(told)
}
