package drill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// rewatch is how a process that was started comes to see what there is. Until then it is at rest like one that is dead: a
// controller that waits for a Lease has not begun to work.
type rewatch struct {
	// watches are those that it must have open: its predecessor's, or of the first process those of the fault-free runs.
	watches map[proxy.Kind]bool
	// started is when it was, shown when it was seen to have them all, zero before.
	started, shown time.Time
	// lenient is set where a case may stand in the way of its watches: they are waited for not longer than longestRewatch, and
	// need not have brought anything.
	lenient bool
}

// longestRewatch is how long a process is waited for in a case.
const longestRewatch = 5 * time.Second

// errNotWatching says that a process was not seen to begin its work in time, so that its rest tells nothing.
var errNotWatching = errors.New("the restarted operator has not begun to work")

// expectWatches has the rest of the process that is started next wait until it has opened these watches.
func (r *replica) expectWatches(watches map[proxy.Kind]bool, lenient bool) {
	r.rewatch = rewatch{watches: watches, started: time.Now(), lenient: lenient}
}

// openWatches returns the kinds of watches that the process has open.
func (r *replica) openWatches() map[proxy.Kind]bool {
	open := map[proxy.Kind]bool{}
	for kind := range r.proxy.Watching() {
		open[kind] = true
	}
	return open
}

// missingWatches returns the kinds of watches that a process has still to open, or to be shown the first state of.
func (w rewatch) missingWatches(watching map[proxy.Kind]bool) []proxy.Kind {
	var missing []proxy.Kind
	for _, kind := range slices.Sorted(maps.Keys(w.watches)) {
		if shown, open := watching[kind]; !open || !shown && !w.lenient {
			missing = append(missing, kind)
		}
	}
	return missing
}

// awaitWatches waits until a process watches what it must and has been shown the first state of each, and returns since when.
// It fails with errNotWatching when ctx is done first.
func (r *replica) awaitWatches(ctx context.Context) (time.Time, error) {
	if r.rewatch.lenient {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.rewatch.started.Add(longestRewatch))
		defer cancel()
	}
	for r.rewatch.shown.IsZero() {
		changed := r.proxy.Changes()
		missing := r.rewatch.missingWatches(r.proxy.Watching())
		if len(missing) == 0 && (r.rewatch.lenient || r.hasWorked()) {
			r.rewatch.shown = time.Now()
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if r.rewatch.lenient {
				r.rewatch.shown = time.Now()
				break
			}
			return time.Time{}, notWatching(missing)
		}
	}
	return r.rewatch.shown, nil
}

func notWatching(missing []proxy.Kind) error {
	if len(missing) == 0 {
		return errNotWatching
	}
	var kinds []string
	for _, kind := range missing {
		kinds = append(kinds, string(kind))
	}
	return fmt.Errorf("%w: it has not been shown the first state of %s", errNotWatching, strings.Join(kinds, ", "))
}

// hasWorked reports whether the process has sent any request but those of a leader lock.
func (r *replica) hasWorked() bool {
	return slices.ContainsFunc(r.proxy.Exchanges(), func(x proxy.Exchange) bool {
		return x.Arrived.After(r.rewatch.started) && !x.LeaderLock
	})
}

// unready returns why nothing can be said of a process that has not come to what a step awaits: it has done nothing yet.
func (r *replica) unready() error {
	missing := r.rewatch.missingWatches(r.proxy.Watching())
	if r.rewatch.lenient || r.hasWorked() || len(missing) == 0 {
		return nil
	}
	return notWatching(missing)
}
