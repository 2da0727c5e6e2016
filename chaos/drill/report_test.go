package drill

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
)

// TestWhatACaseIsThereToShow passes if each oracle that is named objects, and no other.
func TestWhatACaseIsThereToShow(t *testing.T) {
	found := func(oracles ...string) []Finding {
		var all []Finding
		for _, oracle := range oracles {
			all = append(all, Finding{Oracle: oracle, Text: "x"})
		}
		return all
	}
	for _, test := range []struct {
		name     string
		finds    []string
		found    []Finding
		verdict  Verdict
		expected int // of the findings
		all      int // findings in the end
	}{
		{"nothing is to be found, and is not", nil, nil, Passed, 0, 0},
		{"nothing is to be found, and something is", nil, found(Leaks), Failed, 0, 1},
		{"what is to be found, is", []string{Leaks}, found(Leaks), Passed, 1, 1},
		{"more than once", []string{Leaks}, found(Leaks, Leaks), Passed, 2, 2},
		{"two are to object, and do", []string{Leaks, Safe}, found(Safe, Leaks), Passed, 2, 2},
		{"what is to be found, is not", []string{Leaks}, nil, Failed, 0, 1},
		{"one of two is not", []string{Leaks, Safe}, found(Safe), Failed, 1, 2},
		{"more than what is to be found", []string{Leaks}, found(Leaks, Health), Failed, 1, 2},
		{"something else instead", []string{Leaks}, found(Health), Failed, 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := newPointResult(Point{Case: "a"}, 1, true, &Recording{}, test.found)
			result.expect(test.finds)
			expected := slices.DeleteFunc(slices.Clone(result.Findings), func(f Finding) bool { return !f.Expected })
			if result.Verdict != test.verdict || len(expected) != test.expected || len(result.Findings) != test.all {
				t.Errorf("%s, %d of %d findings expected; want %s, %d of %d", result.Verdict, len(expected), len(result.Findings),
					test.verdict, test.expected, test.all)
			}
		})
	}
	t.Run("is named where it is missing", func(t *testing.T) {
		result := PointResult{Verdict: Passed}
		result.expect([]string{Leaks})
		want := Finding{Oracle: Leaks, Text: "was to object, as this case shows what goes wrong; it did not"}
		if !slices.Equal(result.Findings, []Finding{want}) {
			t.Errorf("found %+v", result.Findings)
		}
	})
}

func TestResultOfAStrike(t *testing.T) {
	strike := func(fault Fault) *Strike {
		return &Strike{Blow: Blow{proxy.Place{Step: "roll again", Kind: "POST pods", Ordinal: 1}, fault},
			At: at(1), Restarted: at(2), Recovered: at(4), Count: 3}
	}
	run := &Recording{
		Took:    5 * time.Second,
		Steps:   []StepRecord{{Name: "scale", CountBefore: 1, CountAfter: 2}, {Name: "roll", CountBefore: 2, CountAfter: 4}},
		Strikes: []*Strike{strike(After)},
	}
	point := parsePoints(t, "roll: POST pods #1, after; roll again: POST pods #1, after")[0]
	result := newPointResult(point, 3, true, run, nil)
	if result.Verdict != Passed || result.Attempts != 3 || result.CountBefore != 2 || result.CountAtKill != 3 || result.CountAfter != 4 ||
		!result.HalfDone() || result.Seconds != 5 {
		t.Errorf("result %+v", result)
	}
	if result.RecoverySeconds != 2 {
		t.Errorf("a killed operator recovered in %v s after its restart, want 2", result.RecoverySeconds)
	}
	run.Strikes = []*Strike{strike(Cut)}
	result = newPointResult(parsePoints(t, "roll: POST pods #1, cut")[0], 1, true, run, nil)
	if result.RecoverySeconds != 3 || result.HalfDone() {
		t.Errorf("an operator that lives recovered in %v s after the fault, want 3; half done: %t", result.RecoverySeconds, result.HalfDone())
	}
	run.Strikes[0].Recovered = time.Time{}
	if result = newPointResult(point, 1, true, run, []Finding{{Oracle: Converges}}); result.RecoverySeconds != 0 || result.Verdict != Failed {
		t.Errorf("one that never recovered: %v s, %s", result.RecoverySeconds, result.Verdict)
	}
}

func TestSummaryCounts(t *testing.T) {
	halfDone := PointResult{Point: Point{Blow: Blow{Fault: After}}, Injected: true, Verdict: Passed, CountAtKill: 1, CountAfter: 2}
	results := []PointResult{
		halfDone, {Injected: true, Verdict: Failed}, {Verdict: NotReached}, {Point: Point{Case: "a"}, Injected: true, Verdict: Passed},
		{Injected: true, Verdict: NotJudged}, {Injected: true, Verdict: NotConfirmed},
	}
	got := newReport(&arena{definition: &Definition{Name: "d"}, subject: Subject{Name: "o"}},
		&baseline{reference: &reference{Recording: &Recording{}}}, results, 90*time.Second).Summary
	want := Summary{Operator: "o", Drill: "d", Identity: "the administrator", Points: 6, Injected: 5, Passed: 2, Failed: 2, NotJudged: 1, NotConfirmed: 1, HalfDone: 1, Seconds: 90}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestOccasionalWrites are told of where faults would have been injected at them, and nowhere else.
func TestOccasionalWrites(t *testing.T) {
	place := proxy.Place{Step: "roll", Kind: "PUT fleets/status", Ordinal: 1}
	seen := &baseline{reference: &reference{Recording: &Recording{}, unstable: []proxy.Place{place}}}
	for _, test := range []struct {
		plan Plan
		want []string
	}{
		{Plan{Faults: []Fault{Cut}}, []string{"roll: PUT fleets/status #1"}},
		{Plan{Silence: metav1.Duration{Duration: time.Second}}, nil},
	} {
		if got := newReport(&arena{definition: &Definition{Plan: test.plan}}, seen, nil, 0).Occasional; !slices.Equal(got, test.want) {
			t.Errorf("%+v: got %q, want %q", test.plan, got, test.want)
		}
	}
}
