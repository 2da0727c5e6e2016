package onelineperstage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
)

// trace is what happened between two moments: what the operator logged, and what passed the proxy.
type trace struct {
	lines  []cluster.Line
	events []proxy.WatchEvent
	writes []proxy.Exchange
}

// recording is a trace that has begun.
type recording struct {
	bed           *bed
	step          string
	lines, events int
}

// record begins a step.
func (b *bed) record(step string) recording {
	b.cluster.Proxy.Mark(step)
	return recording{b, step, len(b.running.Log.Lines()), len(b.cluster.Proxy.WatchEvents())}
}

// trace is what happened so far.
func (r recording) trace() trace {
	t := trace{lines: r.bed.running.Log.Lines()[r.lines:], writes: r.bed.cluster.Writes(r.step)}
	for _, e := range r.bed.cluster.Proxy.WatchEvents()[r.events:] {
		if e.Type != watch.Bookmark {
			t.events = append(t.events, e)
		}
	}
	return t
}

// reach waits until a Fleet has been through a stage this often.
func (r recording) reach(ctx context.Context, fleet string, stage cluster.Stage, times int) error {
	what := fmt.Sprintf("%s to be %s %d times", fleet, stage, times)
	return r.bed.running.Log.Await(ctx, what, func(lines []cluster.Line) bool {
		return trace{lines: lines[r.lines:]}.count(fleet, stage) >= times
	})
}

// count is how often a Fleet has been through a stage.
func (t trace) count(fleet string, stage cluster.Stage) int {
	n := 0
	for _, line := range t.lines {
		if line.Fleet == fleet && line.Stage == stage {
			n++
		}
	}
	return n
}

// idleReconciles is how many reconciles made no write.
func (t trace) idleReconciles() int {
	idle, began := 0, time.Time{}
	for _, line := range t.lines {
		switch line.Stage {
		case cluster.Reconciling:
			began = line.Time
		case cluster.Reconciled:
			wrote := slices.ContainsFunc(t.writes, func(x proxy.Exchange) bool {
				return x.Arrived.After(began) && x.Arrived.Before(line.Time)
			})
			if !wrote {
				idle++
			}
		}
	}
	return idle
}

// happening is one line of a timeline.
type happening struct {
	at        time.Time
	who, what string
}

// timeline is all that happened, in order.
func (t trace) timeline() []happening {
	var all []happening
	for _, line := range t.lines {
		all = append(all, happening{line.Time, "operator", line.Text})
	}
	for _, e := range t.events {
		all = append(all, happening{e.Time, "proxy", fmt.Sprintf("event %s %s %s", e.Type, strings.ToLower(e.Kind), e.Name)})
	}
	for _, x := range t.writes {
		all = append(all, happening{x.Arrived, "proxy", fmt.Sprintf("write %s %s", x.Place.Kind, x.Name)})
	}
	slices.SortStableFunc(all, func(a, b happening) int { return a.at.Compare(b.at) })
	return all
}

func (b *bed) show(t trace) {
	all := t.timeline()
	for _, h := range all {
		b.Say("  %8.3f ms  %-9s %s", float64(h.at.Sub(all[0].at))/float64(time.Millisecond), h.who, h.what)
	}
}
