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
	// Replica is the number, from 1, of the operator's replica that it is about, where there are several.
	Replica int `json:"replica,omitempty"`
	// At and Took are in milliseconds; At is from the beginning of the run.
	At   float64 `json:"at"`
	Took float64 `json:"took,omitempty"`
	Text string  `json:"text"`
	// Kind is what sort of mark it is: of the scenario, step, fault or unsettled; of the operator, start, kill, end, signal,
	// fault, stopped, recovering, leads, unrenewed, taken, holder or works; of requests, write, refused or unheard; of
	// what was observed, added, modified or deleted.
	Kind string `json:"kind"`
}

func newTimeline(run *Recording) Timeline {
	c := chart{run: run, replicas: 1}
	for _, p := range run.Processes {
		c.replicas = max(c.replicas, p.Replica)
	}
	c.markSteps()
	c.markProcesses()
	c.markStrikes()
	c.markLeaders()
	c.markHandOver()
	c.markRequests()
	for _, e := range run.Events {
		c.mark(Mark{Lane: "watch", Row: e.Resource, Kind: strings.ToLower(string(e.Type))}, e.Seen, time.Time{},
			"%s %s", e.Resource, e.Object.GetName())
	}
	if run.Failure != nil {
		began := c.marks.unsettled()
		c.marks = append(c.marks, Mark{
			Lane: "scenario", Kind: "unsettled", At: began, Took: milliseconds(run.Took) - began, Text: run.Failure.Error(),
		})
	}
	slices.SortStableFunc(c.marks, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	return c.marks
}

// chart is a timeline in the making.
type chart struct {
	run      *Recording
	replicas int
	marks    Timeline
}

// mark adds a mark, which lasts if until is later than at.
func (c *chart) mark(m Mark, at, until time.Time, format string, args ...any) {
	m.At, m.Text = milliseconds(at.Sub(c.run.Began)), fmt.Sprintf(format, args...)
	if until.After(at) {
		m.Took = milliseconds(until.Sub(at))
	}
	if c.replicas == 1 {
		m.Replica = 0
	}
	c.marks = append(c.marks, m)
}

// by says whose a request is, where that is a question.
func (c *chart) by(replica int) string {
	if c.replicas == 1 {
		return ""
	}
	return fmt.Sprintf(", by operator %d", replica)
}

// markSteps marks the steps of the scenario, and what they did to replicas where no process tells of it.
func (c *chart) markSteps() {
	for _, step := range c.run.Steps {
		switch d := step.Disturbance; {
		case step.Name == listening:
			c.mark(Mark{Lane: "scenario", Kind: "step"}, step.Began, step.Settled, "%s: nothing is done", step.Name)
		case d.count() == 0:
			c.mark(Mark{Lane: "scenario", Kind: "step"}, step.Began, step.Settled,
				"%s: %d to %d", step.Name, step.CountBefore, step.CountAfter)
		default:
			c.mark(Mark{Lane: "scenario", Kind: "fault"}, step.Began, step.Settled, "%s: %s%s", step.Name, d.what(), c.on(step.Befallen))
			for _, replica := range step.Befallen {
				if d.Signal == "" && d.Restart == nil {
					c.mark(Mark{Lane: "operator", Replica: replica, Kind: "fault"}, step.Began, time.Time{}, "%s: %s", step.Name, d.what())
				}
			}
		}
	}
}

// on names some of several replicas.
func (c *chart) on(replicas []int) string {
	if c.replicas == 1 {
		return ""
	}
	var names []string
	for _, replica := range replicas {
		names = append(names, fmt.Sprintf("operator %d", replica))
	}
	return ", " + cmp.Or(strings.Join(names, " and "), "nobody")
}

// markProcesses marks where processes of the operator begin, are sent signals, and end.
func (c *chart) markProcesses() {
	strikes := slices.DeleteFunc(slices.Clone(c.run.Strikes), func(s *Strike) bool { return !s.Fault.kills() })
	for i, p := range c.run.Processes {
		of := func(kind string) Mark { return Mark{Lane: "operator", Replica: p.Replica, Kind: kind} }
		text := "started"
		if i > 0 && c.run.Processes[i-1].Replica == p.Replica {
			text = "restarted"
		}
		c.mark(of("start"), p.Started, time.Time{}, "%s", text)
		for _, s := range p.Signals {
			c.mark(of("signal"), s.At, time.Time{}, "SIG%s", s.Signal)
			if s.Signal == Stop {
				c.mark(of("stopped"), s.At, p.wokenBy(c.run), "stopped")
			}
		}
		switch {
		case p.Ended.IsZero():
		case !p.Killed:
			c.mark(of("end"), p.Ended, time.Time{}, "ended")
		case i < len(strikes):
			c.mark(of("kill"), p.Ended, time.Time{}, "SIGKILL in %s, count %d", strikes[i].Step, strikes[i].Count)
		default:
			c.mark(of("kill"), p.Ended, time.Time{}, "SIGKILL")
		}
	}
}

// wokenBy is when a process that was stopped went on: at the latest with the end of the run, or its own.
func (p ProcessRecord) wokenBy(run *Recording) time.Time {
	for _, s := range p.Signals {
		if s.Signal == Continue {
			return s.At
		}
	}
	if !p.Ended.IsZero() {
		return p.Ended
	}
	return run.Began.Add(run.Took)
}

// markStrikes marks faults that killed nobody, and recoveries. One that ended in another death was none.
func (c *chart) markStrikes() {
	for i, s := range c.run.Strikes {
		since, until := s.At, s.Recovered
		if s.Fault.kills() {
			since = s.Restarted
		} else {
			c.mark(Mark{Lane: "operator", Kind: "fault"}, s.At, time.Time{}, "%s in %s", s.Fault, s.Step)
		}
		if i+1 < len(c.run.Strikes) {
			until = c.run.Strikes[i+1].At
		}
		if !since.IsZero() {
			c.mark(Mark{Lane: "operator", Kind: "recovering"}, since, until, "recovering")
		}
	}
}

// markLeaders marks who held the Lease: from its first write of it to its last, and on until another wrote it.
func (c *chart) markLeaders() {
	held := tenures(c.run.Exchanges)
	for i, t := range held {
		until := c.run.Began.Add(c.run.Took)
		if i+1 < len(held) {
			until = held[i+1].from
		}
		c.mark(Mark{Lane: "operator", Replica: t.replica, Kind: "leads"}, t.from, t.renewed,
			"renews the Lease: %d writes", t.writes)
		c.mark(Mark{Lane: "operator", Replica: t.replica, Kind: "unrenewed"}, t.renewed, until,
			"the Lease is not renewed for %.2f s", until.Sub(t.renewed).Seconds())
	}
}

// tenure is the time in which a replica held the Lease.
type tenure struct {
	replica       int
	from, renewed time.Time // its first and its last write of it
	writes        int
}

func tenures(exchanges []Exchange) []tenure {
	var all []tenure
	for _, x := range inOrderOfAnswers(exchanges) {
		if !x.LeaderLock || !x.Committed() {
			continue
		}
		if len(all) == 0 || all[len(all)-1].replica != x.Replica {
			all = append(all, tenure{replica: x.Replica, from: x.Answered})
		}
		last := &all[len(all)-1]
		last.renewed, last.writes = x.Answered, last.writes+1
	}
	return all
}

// markHandOver marks from when to when a hand-over was measured.
func (c *chart) markHandOver() {
	h := c.run.HandOver
	if h == nil {
		return
	}
	mark := func(kind string, replica int, after float64, format string, args ...any) {
		at := h.taken.Add(time.Duration(after * float64(time.Second)))
		c.mark(Mark{Lane: "operator", Replica: replica, Kind: kind}, at, time.Time{}, format, args...)
	}
	mark("taken", h.former, 0, "the leader is taken away")
	if h.NewHolder > 0 {
		mark("holder", h.holder, h.NewHolder, "new holder after %.2f s", h.NewHolder)
	}
	if h.FirstWrite > 0 {
		mark("works", h.holder, h.FirstWrite, "first write after %.2f s", h.FirstWrite)
	}
}

// markRequests marks what was written to the API server and to DNS.
func (c *chart) markRequests() {
	for _, x := range c.run.Exchanges {
		if x.IsWrite() {
			c.mark(Mark{Lane: "api", Row: string(x.Place.Kind), Replica: x.Replica, Kind: writeKind(x.Exchange)}, x.Arrived, x.Finished,
				"%s: %s%s", strings.TrimSpace(x.Place.String()+" "+x.Name), outcome(x.Exchange), c.by(x.Replica))
		}
	}
	for _, u := range c.run.Updates {
		c.mark(Mark{Lane: "dns", Row: string(u.Place.Kind), Replica: u.Replica, Kind: updateOutcome(u)}, u.Arrived, u.Answered,
			"%s: %s (%s)%s", u.Place, u.Text, cmp.Or(u.Rcode, "never applied"), c.by(u.Replica))
	}
}

// unsettled is when, in milliseconds, a step was begun that did not end: at the end of the last one that did.
func (t Timeline) unsettled() (began float64) {
	for _, m := range t {
		if m.Lane == "scenario" {
			began = max(began, m.At+m.Took)
		}
	}
	return began
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
