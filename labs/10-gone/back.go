package gone

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// What happens between a reflector that was let back and its handlers.
const (
	watchFromKnown     = "WATCH"
	expired            = "410"
	watchListFromKnown = "WATCH+state"
	listFromKnown      = "LIST"
	watchFromList      = "next WATCH"
	state              = "pods"
	bookmark           = "bookmark"
	tombstone          = "tombstone"
)

var (
	sequence     = lab.Ordering{watchFromKnown, expired, watchListFromKnown, state, bookmark, tombstone}
	listSequence = lab.Ordering{watchFromKnown, expired, listFromKnown, watchFromList}
)

// inWords is what an entry of a reflector that knew a version is in the sequences.
func inWords(e cluster.Entry, known string) string {
	switch {
	case e.What == "WATCH" && e.Version == known:
		return watchFromKnown
	case e.What == "WATCHLIST" && e.Version == known:
		return watchListFromKnown
	case e.What == "LIST" && e.Version == known:
		return listFromKnown
	case e.What == "WATCH":
		return watchFromList
	case e.What == "ADDED":
		return state
	case e.What == "BOOKMARK":
		return bookmark
	case e.What == expired:
		return expired
	default:
		return e.String()
	}
}

// untilCalled is what there was until the first handler was called, which is for a deletion.
func untilCalled(record cluster.Record, known string) []string {
	end := slices.IndexFunc(record, func(e cluster.Entry) bool { return e.Kind == cluster.Call })
	var words []string
	for _, e := range record[:end] {
		words = append(words, inWords(e, known))
	}
	return append(slices.Compact(words), record[end].What)
}

// untilItWatches is what was asked for, and refused, until the last request. Handlers are called meanwhile.
func untilItWatches(record cluster.Record, known string) []string {
	var words []string
	for _, e := range record {
		if e.Kind == cluster.Request || e.What == expired {
			words = append(words, inWords(e, known))
		}
	}
	return words
}

// relists is how often all of the state was asked for.
func relists(record cluster.Record) int {
	return count(record, "LIST") + count(record, "WATCHLIST")
}

func count(record cluster.Record, what string) int {
	n := 0
	for _, e := range record {
		if e.What == what {
			n++
		}
	}
	return n
}

// measureReturn measures what the informers did when they were let back.
func (e *experiment) measureReturn(ctx context.Context, before past) error {
	record := e.informer.Record()
	e.Say("\nThe informer is let back:")
	e.show(record)
	e.Say("\nThe informer that begins with a LIST:")
	e.show(e.lister.Record())

	e.Measure("sequence", untilCalled(record, before.informer))
	e.Measure("list-mode-sequence", untilItWatches(e.lister.Record(), before.lister))
	e.Measure("relists", relists(record))
	e.Measure("lists", count(record, "LIST"))
	e.Measure("tombstones", count(record, "tombstone"))
	e.Measure("changed-calls", len(record.Calls(changed)))
	e.Measure("brief-calls", len(record.Calls(brief)))
	current, err := e.storeIsCurrent(ctx)
	if err != nil {
		return err
	}
	e.Measure("store-is-current", current)
	return e.measureStatuses()
}

// storeIsCurrent tells whether the informer has exactly the pods that there are, as they are.
func (e *experiment) storeIsCurrent(ctx context.Context) (bool, error) {
	pods, err := e.cluster.Kube.CoreV1().Pods(cluster.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, pod := range pods.Items {
		stored, exists, err := e.informer.GetStore().Get(&pod)
		if err != nil || !exists || resourceVersion(stored) != pod.ResourceVersion {
			return false, err
		}
	}
	return len(pods.Items) == len(e.informer.GetStore().ListKeys()), nil
}

// measureStatuses measures with which HTTP status one hears of a 410: that of a LIST and, as it passed the proxy, that of
// the WATCH with which an informer came back. And it measures how many requests passed there in all.
func (e *experiment) measureStatuses() error {
	var list apierrors.APIStatus
	if !errors.As(e.told["exact-list"], &list) {
		return e.told["exact-list"]
	}
	e.Measure("expired-list-status", int(list.Status().Code))
	back, passed := proxy.Place{Step: second, Kind: "WATCH pods", Ordinal: 1}, 0
	for _, exchange := range e.cluster.Proxy.Exchanges() {
		if exchange.Place.Step == back.Step {
			passed++
		}
		if exchange.Place == back {
			e.Measure("expired-watch-status", exchange.Status)
		}
	}
	e.Measure("requests-of-both", passed)
	return nil
}

func resourceVersion(pod any) string { return pod.(metav1.Object).GetResourceVersion() }
