package drill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// Timeline is a run as a list of marks in order of time.
type Timeline []Mark

// Mark is something that happened at an instant, or lasted.
type Mark struct {
	// Lane is who did it: scenario, operator, api, dns or watch.
	Lane string `json:"lane"`
	// Row tells apart what shares a lane: the kind of a request, the resource of an event.
	Row string `json:"row,omitempty"`
	// At and Took are in milliseconds; At is from the beginning of the run.
	At   float64 `json:"at"`
	Took float64 `json:"took,omitempty"`
	Text string  `json:"text"`
	// Kind is what sort of mark it is: step, unsettled, start, kill; write, refused, unheard; added, modified, deleted.
	Kind string `json:"kind"`
}

func newTimeline(run *Recording) Timeline {
	var marks Timeline
	mark := func(lane, row, kind string, at, until time.Time, format string, args ...any) {
		m := Mark{
			Lane: lane, Row: row, Kind: kind, At: milliseconds(at.Sub(run.Began)), Text: fmt.Sprintf(format, args...),
		}
		if until.After(at) {
			m.Took = milliseconds(until.Sub(at))
		}
		marks = append(marks, m)
	}
	mark("operator", "", "start", run.Began, time.Time{}, "started")
	for _, step := range run.Steps {
		mark("scenario", "", "step", step.Began, step.Settled, "%s: %d to %d", step.Name, step.CountBefore, step.CountAfter)
	}
	if s := run.Strike; s != nil {
		if s.Fault.kills() {
			mark("operator", "", "kill", s.At, time.Time{}, "SIGKILL in %s, count %d", s.Step, s.Count)
		} else {
			mark("operator", "", "kill", s.At, time.Time{}, "%s in %s", s.Fault, s.Step)
		}
		if !s.Restarted.IsZero() {
			mark("operator", "", "start", s.Restarted, time.Time{}, "restarted")
			mark("operator", "", "step", s.Restarted, s.Recovered, "recovering")
		}
	}
	for _, x := range run.Exchanges {
		if x.IsWrite() {
			mark("api", string(x.Place.Kind), writeKind(x), x.Arrived, x.Finished,
				"%s %s: %s", x.Place, x.Name, outcome(x))
		}
	}
	for _, u := range run.Updates {
		mark("dns", string(u.Place.Kind), updateOutcome(u), u.Arrived, u.Answered,
			"%s: %s (%s)", u.Place, u.Text, cmp.Or(u.Rcode, "never applied"))
	}
	for _, e := range run.Events {
		mark("watch", e.Resource, strings.ToLower(string(e.Type)), e.Seen, time.Time{},
			"%s %s", e.Resource, e.Object.GetName())
	}
	if run.Failure != nil {
		began, ended := marks.unsettled()
		marks = append(marks, Mark{
			Lane: "scenario", Kind: "unsettled", At: began, Took: ended - began, Text: run.Failure.Error(),
		})
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	return marks
}

// unsettled is the time, in milliseconds, of a step that was begun and not ended: from the end of the last one that was,
// until nothing more happened.
func (t Timeline) unsettled() (began, ended float64) {
	for _, m := range t {
		ended = max(ended, m.At+m.Took)
		if m.Lane == "scenario" {
			began = max(began, m.At+m.Took)
		}
	}
	return began, ended
}

func writeKind(x proxy.Exchange) string {
	switch {
	case !x.Delivered:
		return "unheard"
	case !x.Committed():
		return "refused"
	}
	return "write"
}

func updateOutcome(u Update) string {
	switch {
	case u.Answered.IsZero():
		return "unheard"
	case !u.Applied:
		return "refused"
	}
	return "write"
}

func outcome(x proxy.Exchange) string {
	switch {
	case !x.Forwarded:
		return "never sent on"
	case x.Status == 0:
		return "never answered"
	case !x.Delivered:
		return fmt.Sprintf("%d, unheard", x.Status)
	}
	return fmt.Sprint(x.Status)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
