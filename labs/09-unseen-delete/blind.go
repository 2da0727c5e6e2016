package unseendelete

import (
	"cmp"
	"context"
	"slices"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
)

// whileItIsBlind has pods deleted while the informers' watches bring nothing, and then ends the watches with 410.
func (e *experiment) whileItIsBlind(ctx context.Context) error {
	e.Say("\nWhile its watch brings nothing, one pod is labelled v2 and deleted, one replaced, one created, one created and " +
		"deleted. Then the watch ends with 410:")
	pods := proxy.Watched{Resource: "pods"}
	e.cluster.Proxy.Skip(pods)
	err := e.cluster.Do(ctx, cluster.Label(unseen, "v2"), cluster.Delete(unseen), cluster.Replace(unseenSwap),
		cluster.Create(fresh, brief), cluster.Delete(brief))
	if err != nil {
		return err
	}
	_, listed, err := e.informer.GetStore().GetByKey(cluster.Namespace + "/" + unseen)
	if err != nil {
		return err
	}
	e.Measure("before-relist-listed", listed)

	version := e.informer.LastSyncResourceVersion()
	e.begin()
	e.cluster.Proxy.Expire(pods)
	e.cluster.Proxy.Resume(pods)
	if err := e.await(ctx, fresh); err != nil {
		return err
	}
	if err := e.cluster.Do(ctx, cluster.Create(after)); err != nil {
		return err
	}
	if err := e.await(ctx, after); err != nil {
		return err
	}
	e.show(e.informer.Record())
	e.measureCalls()
	e.measureRequests(version)
	return e.measureTombstone(ctx)
}

// measureCalls measures what handlers were told.
func (e *experiment) measureCalls() {
	record := e.informer.Record()
	first, swapped := record.Of(cluster.Call)[0], record.Calls(unseenSwap)[0]
	e.Measure("unseen-tombstone", record.Calls(unseen)[0].What == "tombstone")
	e.Measure("unseen-version", record.Calls(unseen)[0].Pod.Labels["version"])
	e.Measure("unseen-first", first.Pod.Name == unseen)
	e.Measure("unseen-swap", swap(record, unseenSwap))
	e.Measure("unseen-swap-two-uids", swapped.Old != nil && swapped.Old.UID != swapped.Pod.UID)
	e.Measure("brief-calls", len(record.Calls(brief)))
	e.Measure("kept-calls", len(record.Calls(kept)))
	e.Measure("list-mode-same-calls", slices.Equal(summary(record), summary(e.lister.Record())))
}

// summary is what was told of which pod, in the order of the alphabet: that of a state is anyone's guess.
func summary(record cluster.Record) []string {
	var all []string
	for _, call := range record.Of(cluster.Call) {
		all = append(all, call.What+" "+call.Pod.Name+" "+call.Pod.Labels["version"])
	}
	slices.Sort(all)
	return all
}

// What a request may name in place of the version that an informer knows.
const (
	lastKnown = "the last one it had seen"
	noVersion = "none"
)

// measureRequests measures what the reflectors asked for after the 410, where they knew of a version.
func (e *experiment) measureRequests(known string) {
	requests := e.informer.Record().Of(cluster.Request)
	named := cmp.Or(requests[0].Version, noVersion)
	if named == known {
		named = lastKnown
	}
	e.Measure("relist-requests", len(requests))
	e.Measure("relist-lists", lists(requests))
	e.Measure("relist-version", named)
	e.Measure("relist-events", eventsToBookmark(e.informer.Record()))
	e.Say("\nAn informer that begins with a LIST, through the same:")
	e.show(e.lister.Record())
	requests = e.lister.Record().Of(cluster.Request)
	e.Measure("list-mode-requests", len(requests))
	e.Measure("list-mode-lists", lists(requests))
}

// eventsToBookmark is how many events came after the 410 until one said that this was all there is.
func eventsToBookmark(record cluster.Record) int {
	return slices.IndexFunc(record.Of(cluster.Event)[1:], func(e cluster.Entry) bool { return e.What == "BOOKMARK" }) + 1
}

func lists(requests cluster.Record) int {
	n := 0
	for _, request := range requests {
		if request.What == "LIST" {
			n++
		}
	}
	return n
}

// measureTombstone measures what the lister had while OnDelete was told of the unseen deletion, and what a handler can make
// of what it was given.
func (e *experiment) measureTombstone(ctx context.Context) error {
	d, typed, err := e.witness.deletionOf(ctx, unseen)
	if err != nil {
		return err
	}
	e.Measure("at-tombstone-listed", slices.Contains(d.listed, unseen))
	e.Measure("at-tombstone-ahead", slices.Contains(d.listed, fresh))
	e.Say("\nWhat comes of the tombstone in OnDelete, by the way of getting a key from it:")
	for _, w := range ways {
		outcome := w.outcome(d)
		e.Say("  %-22s %s", w.name, outcome)
		e.Measure(w.name, outcome)
	}
	e.Measure("panic-ends-the-process", utilruntime.ReallyCrash)
	e.Measure("typed-handler", map[bool]string{true: enqueued, false: failure}[typed.GetKey() == d.key()])
	return nil
}
