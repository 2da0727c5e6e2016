package drill

import (
	"slices"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// Recording is what happened in one run of a scenario.
type Recording struct {
	Namespace string
	Began     time.Time
	Took      time.Duration
	Steps     []StepRecord
	// Strikes are the faults at writes that were injected.
	Strikes []*Strike
	// Failure is why the scenario was not gone through to its end, or nil.
	Failure error
	// Cut is set if it was not to be gone through to its end.
	Cut bool
	// NotJudged is why nothing can be said of the operator from some step on, or empty.
	NotJudged string
	// Broken is set if the scenario itself could not be acted out: that tells nothing of the operator.
	Broken error
	// Exchanges and Updates are the operator's requests to the API server and to DNS, Events what was observed.
	Exchanges []Exchange
	Updates   []Update
	Events    []Event
	// Processes are those of the operator, replica after replica, each replica's in their order.
	Processes []ProcessRecord
	// Log is what the operator printed, replica after replica.
	Log string
	// HandOver is what was measured of it, or nil.
	HandOver *HandOver
	// Measures are the plan's, by their names.
	Measures map[string]int

	// last is what there was at the end, failedStep the step that failed.
	last       view
	failedStep string
}

// Exchange is a request to the API server by one of the operator's replicas.
type Exchange struct {
	Replica int
	proxy.Exchange
}

// StepRecord is what happened in a step.
type StepRecord struct {
	Name           string
	Began, Settled time.Time
	// CountBefore and CountAfter are the step's count when it began and when it had settled.
	CountBefore, CountAfter int
	// Leader is the replica that led when the step began; 0 for none.
	Leader int
	// Disturbance is what it did to the replicas of these numbers.
	Disturbance Disturbance
	Befallen    []int

	// watches are the kinds that the first replica had open when the step had settled.
	watches map[proxy.Kind]bool

	snapshot  snapshot
	survivors survivors
	// eventsBefore is how many events there had been when it began; changed is the object that it changed.
	eventsBefore int
	changed      objectKey
	// change is the version of that object which the step, or somebody right after it, made; zero if it is not observed.
	change proxy.Version
}

// objectKey names an object of a namespace.
type objectKey struct{ plural, name string }

// Strike is a fault that was injected at a write.
type Strike struct {
	Blow
	// At is when it was: of one that kills, when the operator was dead. Recovered is when the step that was struck had
	// settled after all.
	At, Recovered time.Time
	// Restarted is when the successor of an operator that was killed was started. Count is the step's count after the
	// death, when nothing was under way any more.
	Restarted time.Time
	Count     int

	left view // what there was then
}

// lastStrike is the last fault injected, or nil.
func (r *Recording) lastStrike() *Strike {
	if len(r.Strikes) == 0 {
		return nil
	}
	return r.Strikes[len(r.Strikes)-1]
}

// step is the record of a step that was gone through.
func (r *Recording) step(name string) (StepRecord, bool) {
	i := slices.IndexFunc(r.Steps, func(s StepRecord) bool { return s.Name == name })
	if i < 0 {
		return StepRecord{}, false
	}
	return r.Steps[i], true
}

// writes are the places of all writes of a run, to the API server and to DNS, in the order of their arrival.
func writes(run *Recording) []proxy.Place {
	var places []proxy.Place
	for _, write := range arrivedWrites(run) {
		places = append(places, write.place)
	}
	return places
}

// arrivedWrite is a write, and when it arrived.
type arrivedWrite struct {
	place   proxy.Place
	arrived time.Time
}

// arrivedWrites are all writes of a run, in the order of their arrival.
func arrivedWrites(run *Recording) []arrivedWrite {
	var all []arrivedWrite
	for _, exchange := range run.Exchanges {
		if exchange.IsWrite() && !exchange.LeaderLock {
			all = append(all, arrivedWrite{exchange.Place, exchange.Arrived})
		}
	}
	for _, update := range run.Updates {
		all = append(all, arrivedWrite{update.Place, update.Arrived})
	}
	slices.SortStableFunc(all, func(a, b arrivedWrite) int { return a.arrived.Compare(b.arrived) })
	return all
}

// history is what expressions see of a run.
func (r *Recording) history() history {
	return history{
		requests: func() []any { return requestValues(r.Began, r.Exchanges, r.Updates) },
		events:   func() []any { return eventValues(r.Events) },
		leaders:  func() []int { return leaders(r.Exchanges) },
		measures: r.Measures, formerWrites: r.HandOver.values(),
	}
}

// requestValues are requests as expressions see them, in the order of their arrival.
func requestValues(began time.Time, exchanges []Exchange, updates []Update) []any {
	type request struct {
		arrived time.Time
		value   map[string]any
	}
	var all []request
	for _, x := range exchanges {
		target := x.Name
		if x.Verb == "create" {
			target = "" // it had no name yet
		}
		all = append(all, request{x.Arrived, map[string]any{
			"replica": int64(x.Replica), "step": x.Place.Step, "kind": string(x.Place.Kind), "verb": x.Verb,
			"resource": x.Resource, "subresource": x.Subresource, "name": x.Name, "target": target, "uid": string(x.UID),
			"write": x.IsWrite(), "status": int64(x.Status), "committed": x.Committed(),
			"at": x.Arrived.Sub(began).Seconds(),
		}})
	}
	for _, u := range updates {
		status := int64(0)
		if u.Applied {
			status = 200
		}
		all = append(all, request{u.Arrived, map[string]any{
			"replica": int64(u.Replica), "step": u.Place.Step, "kind": string(u.Place.Kind), "verb": "update",
			"resource": "dns", "subresource": "", "name": u.Text, "target": u.Text, "uid": "",
			"write": true, "status": status, "committed": u.Applied,
			"at": u.Arrived.Sub(began).Seconds(),
		}})
	}
	slices.SortStableFunc(all, func(a, b request) int { return a.arrived.Compare(b.arrived) })
	values := make([]any, len(all))
	for i, r := range all {
		values[i] = r.value
	}
	return values
}

// eventValues are events as expressions see them, in the order in which they were committed.
func eventValues(events []Event) []any {
	ordered := asCommitted(events)
	var plurals []string
	for _, e := range events {
		plurals = append(plurals, e.Resource)
	}
	world := newState(plurals)
	values := make([]any, len(ordered))
	for i, e := range ordered {
		values[i] = eventValue(e, world.apply(e))
	}
	return values
}
