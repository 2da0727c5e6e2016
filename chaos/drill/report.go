package drill

import (
	"strings"
	"time"
)

// Report is what came of a drill.
type Report struct {
	Summary Summary       `json:"summary"`
	Points  []PointResult `json:"points"`
	// Reference is the run without a fault.
	Reference Timeline `json:"reference"`
}

// Summary is a report in numbers.
type Summary struct {
	Operator string `json:"operator"`
	Drill    string `json:"drill"`
	// Points were to be run; at Injected of them the fault took place.
	Points   int `json:"points"`
	Injected int `json:"injected"`
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	// HalfDone is at how many points the count at the kill was neither that before the step nor that after it.
	HalfDone int     `json:"halfDone"`
	Seconds  float64 `json:"seconds"`
}

// Verdict is what came of a point.
type Verdict string

const (
	// Passed: the fault was injected, and nothing was found.
	Passed Verdict = "passed"
	// Failed: something was found.
	Failed Verdict = "failed"
	// NotReached: the operator did not make this write again, however often it was asked to.
	NotReached Verdict = "not reached"
)

// PointResult is what came of one point.
type PointResult struct {
	Point Point `json:"point"`
	// Injected is whether the fault took place.
	Injected bool    `json:"injected"`
	Verdict  Verdict `json:"verdict"`
	// Attempts is how many runs it took to reach the point.
	Attempts int `json:"attempts"`
	// CountBefore, CountAtKill and CountAfter tell how far the step had come; CountAtKill is 0 where nobody was killed.
	CountBefore int `json:"countBefore"`
	CountAtKill int `json:"countAtKill"`
	CountAfter  int `json:"countAfter"`
	// RecoverySeconds is the time from the restart, or from a fault that kills nobody, until the step had settled; 0 if it
	// never did.
	RecoverySeconds float64   `json:"recoverySeconds"`
	Findings        []Finding `json:"findings,omitempty"`
	// Log is the end of what the operator printed, where something was found.
	Log      string   `json:"log,omitempty"`
	Timeline Timeline `json:"timeline"`
}

// HalfDone reports whether the kill struck in the middle of the work.
func (p PointResult) HalfDone() bool {
	return p.Injected && p.Point.Fault.kills() && p.CountAtKill != p.CountBefore && p.CountAtKill != p.CountAfter
}

func newPointResult(point Point, attempt int, run *Recording, findings []Finding) PointResult {
	result := PointResult{
		Point: point, Injected: run.Strike != nil, Verdict: Passed,
		Attempts: attempt, Findings: findings, Timeline: newTimeline(run),
	}
	if len(findings) > 0 {
		result.Verdict = Failed
		result.Log = tail(run.Log, 20)
	}
	if run.Strike == nil {
		if len(findings) == 0 {
			result.Verdict = NotReached
		}
		return result
	}
	result.CountAtKill = run.Strike.Count
	if !run.Strike.Recovered.IsZero() {
		since := run.Strike.At
		if point.Fault.kills() {
			since = run.Strike.Restarted
		}
		result.RecoverySeconds = run.Strike.Recovered.Sub(since).Seconds()
	}
	for _, step := range run.Steps {
		if step.Name == run.Strike.Step {
			result.CountBefore, result.CountAfter = step.CountBefore, step.CountAfter
		}
	}
	return result
}

func newReport(a *arena, reference *Recording, results []PointResult, took time.Duration) *Report {
	report := &Report{
		Summary: Summary{
			Operator: a.subject.Name, Drill: a.definition.Name, Points: len(results), Seconds: took.Seconds(),
		},
		Points:    results,
		Reference: newTimeline(reference),
	}
	for _, result := range results {
		if result.Injected {
			report.Summary.Injected++
		}
		if result.Verdict == Passed {
			report.Summary.Passed++
		} else {
			report.Summary.Failed++
		}
		if result.HalfDone() {
			report.Summary.HalfDone++
		}
	}
	return report
}

// tail is the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
