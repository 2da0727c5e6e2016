package drill

import (
	"slices"
	"testing"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// evenly returns the times of n requests, one after each gap.
func evenly(n int, gap time.Duration) []time.Time {
	return afterGaps(n, 1, func(int) time.Duration { return gap })
}

// afterGaps returns the times of n tries of several requests each, with a gap after each try.
func afterGaps(n, requests int, gap func(try int) time.Duration) []time.Time {
	var all []time.Time
	now := time.Unix(0, 0)
	for try := range n {
		all = append(all, slices.Repeat([]time.Time{now}, requests)...)
		now = now.Add(gap(try))
	}
	return all
}

// within returns those of a list that are before an end.
func within(end time.Duration, times []time.Time) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return at.Sub(time.Unix(0, 0)) > end })
}

// exponential returns the gap of client-go's rate limiter, from 5 ms on, at most a limit.
func exponential(limit time.Duration) func(try int) time.Duration {
	return func(try int) time.Duration { return min(5*time.Millisecond<<min(try, 30), limit) }
}

func TestGoesOn(t *testing.T) {
	linear := func(try int) time.Duration { return time.Duration(try) * 20 * time.Millisecond }
	for _, test := range []struct {
		name  string
		times []time.Time
		want  bool
	}{
		{"10 a second for a minute", evenly(600, 100*time.Millisecond), true},
		{"as fast as it can for a few seconds", evenly(5000, time.Millisecond), true},
		{"an exponential backoff", afterGaps(14, 3, exponential(time.Hour)), false},
		{"an exponential backoff, as far as a minute goes", within(time.Minute, afterGaps(30, 3, exponential(1000*time.Second))), false},
		{"an exponential backoff that ends at a second", within(time.Minute, afterGaps(300, 3, exponential(time.Second))), true},
		{"a burst", evenly(30, 0), false},
		{"a slow burst", evenly(30, 10*time.Millisecond), false},
		{"a burst, and one more much later", append(evenly(30, 0), time.Unix(60, 0)), false},
		{"gaps that grow evenly", afterGaps(76, 1, linear), false},
		{"faster and faster", afterGaps(60, 1, func(try int) time.Duration { return time.Duration(60-try) * 20 * time.Millisecond }), true},
	} {
		if got := goesOn(test.times); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

func TestHotLoops(t *testing.T) {
	during := func(step string, kind proxy.Kind, times []time.Time) []arrivedWrite {
		var all []arrivedWrite
		for _, at := range times {
			all = append(all, arrivedWrite{proxy.Place{Step: step, Kind: kind}, at})
		}
		return all
	}
	times := func(n int, step string) []arrivedWrite {
		return during(step, "POST pods", evenly(n, 100*time.Millisecond))
	}
	for _, test := range []struct {
		name           string
		reference, run []arrivedWrite
		want           []string
	}{
		{"as often", times(4, "roll"), times(4, "roll"), nil},
		{"at the limit", times(4, "roll"), times(4*hotFactor+hotExtra, "roll"), nil},
		{"all the time", times(4, "roll"), times(4*hotFactor+hotExtra+1, "roll"),
			[]string{"roll: POST pods was sent 33 times without a backoff, and 4 times in the reference run"}},
		{"in another step", times(4, "roll"), times(33, "scale"),
			[]string{"scale: POST pods was sent 33 times without a backoff, and 0 times in the reference run"}},
		{"after a restart, which counts as the step's", times(4, "roll"), slices.Concat(times(30, "roll"), times(30, "roll again")),
			[]string{"roll: POST pods was sent 60 times without a backoff, and 4 times in the reference run"}},
		{"after a restart, within the step's", times(4, "roll"), slices.Concat(times(16, "roll"), times(16, "roll again")), nil},
		{"with a backoff, three at each try for a minute", during("create", "PUT services", evenly(6, 0)),
			during("create", "PUT services", within(time.Minute, afterGaps(30, 3, exponential(1000*time.Second)))), nil},
		{"events, which a recorder sends when it can", nil, during("roll", "POST events", evenly(1000, 10*time.Millisecond)), nil},
		{"DNS updates", nil, during("roll", "UPDATE fleet.test.", evenly(21, time.Second)),
			[]string{"roll: UPDATE fleet.test. was sent 21 times without a backoff, and 0 times in the reference run"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, finding := range hotLoops(test.reference, test.run) {
				got = append(got, finding.Text)
				if finding.step == "" {
					t.Errorf("%q is about no step", finding.Text)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
