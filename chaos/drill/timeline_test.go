package drill

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/process"
)

func TestTimelineShowsWhatDidNotCome(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	place := proxy.Place{Step: "roll", Kind: "UPDATE z.", Ordinal: 1}
	run := &Recording{
		Began:     began,
		Took:      time.Second,
		Steps:     []StepRecord{{Name: "create", Began: at(0), Settled: at(100), CountAfter: 2}},
		Processes: []ProcessRecord{{Replica: 1, Started: began, Ended: at(155), Killed: true}},
		Updates:   []Update{{Place: place, Text: "add", Arrived: at(150)}},
		Strikes:   []*Strike{{Blow: Blow{proxy.Place{Step: "roll"}, After}, At: at(160), Count: 1}},
		Failure:   errors.New("roll: not settled"),
	}
	want := Timeline{
		{Lane: "scenario", Kind: "step", Took: 100, Text: "create: 0 to 2"},
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "scenario", Kind: "unsettled", At: 100, Took: 900, Text: "roll: not settled"},
		{Lane: "dns", Row: "UPDATE z.", Kind: "unheard", At: 150, Text: "roll: UPDATE z. #1: add (never applied)"},
		{Lane: "operator", Kind: "kill", At: 155, Text: "SIGKILL in roll, count 1"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// A request that was to create an object has no name.
func TestTimelineOfNamelessRequest(t *testing.T) {
	x := proxy.Exchange{Request: proxy.Request{Verb: "create", Resource: "pods"}, Place: proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: 1}}
	timeline := newTimeline(&Recording{Exchanges: []Exchange{{1, x}}})
	if len(timeline) != 1 || timeline[0].Text != "roll: POST pods #1: never sent on" {
		t.Errorf("got %+v", timeline)
	}
}

// A fault that kills nobody has no restart.
func TestTimelineOfSurvivor(t *testing.T) {
	began := time.Now()
	at := began.Add(160 * time.Millisecond)
	run := &Recording{Began: began, Strikes: []*Strike{
		{Blow: Blow{proxy.Place{Step: "roll"}, Cut}, At: at, Recovered: at.Add(time.Second)},
	}}
	want := Timeline{
		{Lane: "operator", Kind: "fault", At: 160, Text: "cut in roll"},
		{Lane: "operator", Kind: "recovering", At: 160, Took: 1000, Text: "recovering"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// A second kill ends the first recovery.
func TestTimelineOfPair(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	run := &Recording{
		Began: began,
		Processes: []ProcessRecord{
			{Replica: 1, Started: at(0), Ended: at(10), Killed: true},
			{Replica: 1, Started: at(20), Ended: at(30), Killed: true},
			{Replica: 1, Started: at(40)},
		},
		Strikes: []*Strike{
			{Blow: Blow{proxy.Place{Step: "roll"}, Before}, At: at(11), Restarted: at(20)},
			{Blow: Blow{proxy.Place{Step: "roll again"}, After}, At: at(31), Restarted: at(40), Recovered: at(90), Count: 1},
		},
	}
	want := Timeline{
		{Lane: "operator", Kind: "start", Text: "started"},
		{Lane: "operator", Kind: "kill", At: 10, Text: "SIGKILL in roll, count 0"},
		{Lane: "operator", Kind: "start", At: 20, Text: "restarted"},
		{Lane: "operator", Kind: "recovering", At: 20, Took: 11, Text: "recovering"},
		{Lane: "operator", Kind: "kill", At: 30, Text: "SIGKILL in roll again, count 1"},
		{Lane: "operator", Kind: "start", At: 40, Text: "restarted"},
		{Lane: "operator", Kind: "recovering", At: 40, Took: 50, Text: "recovering"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// Two replicas: the first leads, is stopped, and is succeeded by the second.
func TestTimelineOfHandOver(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	write := func(replica, ms int, resource string) Exchange {
		request := proxy.Request{Verb: "update", Resource: resource, Name: "x", LeaderLock: resource == "leases"}
		place := proxy.Place{Step: "s", Kind: proxy.Kind("PUT " + resource), Ordinal: 1}
		return Exchange{replica, proxy.Exchange{
			Request: request, Place: place, Arrived: at(ms - 1), Answered: at(ms), Finished: at(ms), Forwarded: true, Status: 200, Delivered: true,
		}}
	}
	exchanges := []Exchange{write(1, 10, "leases"), write(1, 30, "leases"), write(2, 200, "leases"), write(2, 220, "pods")}
	run := &Recording{
		Began: began, Took: 300 * time.Millisecond, Exchanges: exchanges,
		Processes: []ProcessRecord{
			{Replica: 1, Started: at(0), Signals: []SignalRecord{{Stop, at(40)}, {Continue, at(250)}}},
			{Replica: 2, Started: at(1)},
		},
		Steps:    []StepRecord{{Name: "strike", Began: at(40), Settled: at(41), Disturbance: Disturbance{Signal: Stop}, Befallen: []int{1}}},
		HandOver: newHandOver(at(40), 1, exchanges, nil),
	}
	want := Timeline{
		{Lane: "operator", Replica: 1, Kind: "start", Text: "started"},
		{Lane: "operator", Replica: 2, Kind: "start", At: 1, Text: "started"},
		{Lane: "api", Row: "PUT leases", Replica: 1, Kind: "write", At: 9, Took: 1, Text: "s: PUT leases #1 x: 200, by operator 1"},
		{Lane: "operator", Replica: 1, Kind: "leads", At: 10, Took: 20, Text: "renews the Lease: 2 writes"},
		{Lane: "api", Row: "PUT leases", Replica: 1, Kind: "write", At: 29, Took: 1, Text: "s: PUT leases #1 x: 200, by operator 1"},
		{Lane: "operator", Replica: 1, Kind: "unrenewed", At: 30, Took: 170, Text: "the Lease is not renewed for 0.17 s"},
		{Lane: "scenario", Kind: "fault", At: 40, Took: 1, Text: "strike: SIGSTOP, operator 1"},
		{Lane: "operator", Replica: 1, Kind: "signal", At: 40, Text: "SIGSTOP"},
		{Lane: "operator", Replica: 1, Kind: "stopped", At: 40, Took: 210, Text: "stopped"},
		{Lane: "operator", Replica: 1, Kind: "taken", At: 40, Text: "the leader is taken away"},
		{Lane: "api", Row: "PUT leases", Replica: 2, Kind: "write", At: 199, Took: 1, Text: "s: PUT leases #1 x: 200, by operator 2"},
		{Lane: "operator", Replica: 2, Kind: "leads", At: 200, Text: "renews the Lease: 1 writes"},
		{Lane: "operator", Replica: 2, Kind: "unrenewed", At: 200, Took: 100, Text: "the Lease is not renewed for 0.10 s"},
		{Lane: "operator", Replica: 2, Kind: "holder", At: 200, Text: "new holder after 0.16 s"},
		{Lane: "api", Row: "PUT pods", Replica: 2, Kind: "write", At: 219, Took: 1, Text: "s: PUT pods #1 x: 200, by operator 2"},
		{Lane: "operator", Replica: 2, Kind: "works", At: 220, Text: "first write after 0.18 s"},
		{Lane: "operator", Replica: 1, Kind: "signal", At: 250, Text: "SIGCONT"},
	}
	if difference := cmp.Diff(want, newTimeline(run)); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

func TestLifeOfProcess(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		kill    bool
	}{
		"killed": {"exec sleep 1000", true},
		"ends":   {"exit 3", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := process.Start(exec.Command("sh", "-c", test.command))
			if err != nil {
				t.Fatal(err)
			}
			life := newLife(2, p)
			if test.kill {
				if got := life.sofar(); !got.Ended.IsZero() {
					t.Errorf("it is said to have ended while it lives: %+v", got)
				}
				p.Kill()
			}
			<-p.Exited()
			if got := life.sofar(); got.Replica != 2 || got.Ended.Before(got.Started) || got.Killed != test.kill {
				t.Errorf("%+v", got)
			}
		})
	}
}
