package drill

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// HandOver is how work passed from a leader that was taken away to another replica. Times are in seconds, from the beginning
// of the step that took it away.
type HandOver struct {
	// NewHolder is when another replica held the Lease, FirstWrite when its first write other than of the Lease, or of an
	// Event, had been accepted. 0 for never.
	NewHolder  float64 `json:"newHolder"`
	FirstWrite float64 `json:"firstWrite"`
	// From and To are the bounds of NewHolder that follow from the rules of leader election.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Former are the writes that the former leader sent after FirstWrite.
	Former []FormerWrite `json:"former,omitempty"`

	// taken is when the leader was taken away; former and holder are the numbers of the replicas.
	taken          time.Time
	former, holder int
}

// FormerWrite is a write of a leader that is none any more.
type FormerWrite struct {
	// Request is the write, At when it was sent, Status what it was answered with; 0 if it was not.
	Request string  `json:"request"`
	Object  string  `json:"object,omitempty"`
	At      float64 `json:"at"`
	Status  int     `json:"status"`
	// Accepted is whether it took effect.
	Accepted bool `json:"accepted"`
}

// became is what became of it.
func (w FormerWrite) became() string {
	switch {
	case w.Accepted:
		return "accepted"
	case w.Status == 0:
		return "never answered"
	}
	return "refused with " + strconv.Itoa(w.Status)
}

// Within reports whether a new holder came, and within the bounds.
func (h HandOver) Within() bool {
	return h.NewHolder > 0 && h.NewHolder >= h.From && h.NewHolder <= h.To
}

// newHandOver reads a hand-over off the requests of a run.
func newHandOver(taken time.Time, former int, exchanges []Exchange, updates []Update) *HandOver {
	h := &HandOver{taken: taken, former: former}
	since := func(t time.Time) float64 { return t.Sub(taken).Seconds() }
	var firstWrite time.Time
	for _, x := range inOrderOfAnswers(exchanges) {
		if !x.Answered.After(taken) || !x.Committed() || x.Replica == former {
			continue
		}
		switch {
		case x.LeaderLock && h.holder == 0:
			h.holder, h.NewHolder = x.Replica, since(x.Answered)
		case !x.LeaderLock && x.Resource != "events" && x.Replica == h.holder && firstWrite.IsZero():
			firstWrite, h.FirstWrite = x.Answered, since(x.Answered)
		}
	}
	if firstWrite.IsZero() {
		return h
	}
	for _, x := range exchanges {
		if x.Replica == former && x.IsWrite() && !x.LeaderLock && x.Arrived.After(firstWrite) {
			h.Former = append(h.Former, FormerWrite{string(x.Place.Kind), x.Name, since(x.Arrived), x.Status, x.Committed()})
		}
	}
	for _, u := range updates {
		if u.Replica == former && u.Arrived.After(firstWrite) {
			h.Former = append(h.Former, FormerWrite{string(u.Place.Kind), u.Text, since(u.Arrived), 0, u.Applied})
		}
	}
	return h
}

// values are the former leader's writes as expressions see them.
func (h *HandOver) values() []any {
	values := []any{}
	if h == nil {
		return values
	}
	for _, w := range h.Former {
		values = append(values, map[string]any{
			"request": w.Request, "object": w.Object, "at": w.At, "status": int64(w.Status), "accepted": w.Accepted,
		})
	}
	return values
}

// leaders are the replicas that held the Lease, one after the other. A release is a write of the Lease by its last holder.
func leaders(exchanges []Exchange) []int {
	var all []int
	for _, x := range inOrderOfAnswers(exchanges) {
		if x.LeaderLock && x.Committed() && (len(all) == 0 || all[len(all)-1] != x.Replica) {
			all = append(all, x.Replica)
		}
	}
	return all
}

func inOrderOfAnswers(exchanges []Exchange) []Exchange {
	return slices.SortedStableFunc(slices.Values(exchanges), func(a, b Exchange) int { return a.Answered.Compare(b.Answered) })
}

// HandOvers are the hand-overs of one case, from all its runs.
type HandOvers struct {
	Case string `json:"case"`
	Runs int    `json:"runs"`
	// NewHolder and FirstWrite are the times, in seconds, in ascending order.
	NewHolder  []float64 `json:"newHolder"`
	FirstWrite []float64 `json:"firstWrite"`
	// From and To are the bounds of NewHolder, Within is how many were within them.
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Within int     `json:"within"`
	// FormerSent and FormerAccepted count the writes of former leaders after their successors' first.
	FormerSent     int `json:"formerSent"`
	FormerAccepted int `json:"formerAccepted"`
}

// HandOvers are those of a report, for each case that has some.
func (r *Report) HandOvers() []HandOvers {
	var all []HandOvers
	for _, p := range r.Points {
		if p.HandOver == nil {
			continue
		}
		i := slices.IndexFunc(all, func(h HandOvers) bool { return h.Case == p.Point.Case })
		if i < 0 {
			i = len(all)
			all = append(all, HandOvers{Case: p.Point.Case, From: p.HandOver.From, To: p.HandOver.To})
		}
		all[i].add(*p.HandOver)
	}
	return all
}

func (h *HandOvers) add(one HandOver) {
	h.Runs++
	if one.NewHolder > 0 {
		h.NewHolder = insert(h.NewHolder, one.NewHolder)
	}
	if one.FirstWrite > 0 {
		h.FirstWrite = insert(h.FirstWrite, one.FirstWrite)
	}
	if one.Within() {
		h.Within++
	}
	h.FormerSent += len(one.Former)
	for _, write := range one.Former {
		if write.Accepted {
			h.FormerAccepted++
		}
	}
}

func (h HandOvers) formerWrites() string {
	if h.FormerSent == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, %d accepted", h.FormerSent, h.FormerAccepted)
}

func insert(sorted []float64, value float64) []float64 {
	i, _ := slices.BinarySearch(sorted, value)
	return slices.Insert(sorted, i, value)
}

// median is the value in the middle; 0 of none.
func median(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
