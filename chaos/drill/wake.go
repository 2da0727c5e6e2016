package drill

import (
	"context"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// awakening is how an operator that was restarted comes to see what there is: until then it is at rest like one that is
// dead.
type awakening struct {
	since time.Time
	// watches are those that its predecessor had opened.
	watches map[proxy.Kind]bool
}

// longestAwakening is after how long one is waited for no longer: not every operator opens all its watches again.
const longestAwakening = 5 * time.Second

// expectToWake has wake wait until the process that is started next has opened the watches that there have been so far.
func (r *replica) expectToWake() {
	r.awakening = awakening{time.Now(), watchesOf(r.proxy.Exchanges(), time.Time{})}
}

// wake waits until a restarted operator watches what its predecessor watched.
func (r *replica) wake(ctx context.Context) error {
	long := time.NewTimer(time.Until(r.awakening.since.Add(longestAwakening)))
	defer long.Stop()
	for {
		changed := r.proxy.Changes()
		missing := len(r.awakening.watches)
		for kind := range watchesOf(r.proxy.Exchanges(), r.awakening.since) {
			if r.awakening.watches[kind] {
				missing--
			}
		}
		if missing == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-long.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watchesOf are the kinds of watches that were opened after a time.
func watchesOf(exchanges []proxy.Exchange, after time.Time) map[proxy.Kind]bool {
	kinds := map[proxy.Kind]bool{}
	for _, x := range exchanges {
		if x.Verb == "watch" && x.Arrived.After(after) {
			kinds[x.Place.Kind] = true
		}
	}
	return kinds
}
