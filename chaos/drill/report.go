package drill

import (
	"slices"
	"strings"
	"time"

	"example.com/twinloop/chaos/proxy"
)

// Report is what came of a drill.
type Report struct {
	Summary Summary       `json:"summary"`
	Points  []PointResult `json:"points"`
	// Cases are what the points that are cases are about.
	Cases []Outline `json:"cases,omitempty"`
	// Reference is the run without a fault.
	Reference Timeline `json:"reference,omitempty"`
	// FaultFree is what the operator did wrong without a fault.
	FaultFree []Flake `json:"faultFree,omitempty"`
	// Ignored are the fields that differ between the runs without a fault, and were ignored for it.
	Ignored []Ignored `json:"ignored,omitempty"`
	// Occasional are the writes that only some of the runs without a fault made: no fault is injected at them.
	Occasional []string `json:"occasional,omitempty"`
	// Unmatched are the paths to ignore that led to no field in any of the runs without a fault: they may be misspelt.
	Unmatched []string `json:"unmatched,omitempty"`
}

// Outline is a case as its definition introduces it.
type Outline struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Summary is a report in numbers.
type Summary struct {
	Operator string `json:"operator"`
	Drill    string `json:"drill"`
	// Identity is whom the operator ran as.
	Identity string `json:"identity"`
	// Points were run; at Injected of them the fault took place.
	Points   int `json:"points"`
	Injected int `json:"injected"`
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	// NotJudged is at how many points the restarted operator did not begin to work in time, NotConfirmed at how many what was
	// found was not found again. They have neither passed nor failed.
	NotJudged    int `json:"notJudged"`
	NotConfirmed int `json:"notConfirmed"`
	// HalfDone is at how many points the count at the kill was neither that before the step nor that after it.
	HalfDone int     `json:"halfDone"`
	Seconds  float64 `json:"seconds"`
	// Interrupted is set if the drill ended before it had come by all points.
	Interrupted bool `json:"interrupted,omitempty"`
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
	// NotJudged: the restarted operator did not begin to work in time, as one that waits for a Lease.
	NotJudged Verdict = "not judged"
	// NotConfirmed: something was found, and not found again when the point was run again.
	NotConfirmed Verdict = "not confirmed"
)

// fails reports whether a verdict speaks against the operator.
func (v Verdict) fails() bool { return v == Failed || v == NotReached }

// logLines is how much of what an operator printed is kept where something was found.
const logLines = 20

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
	RecoverySeconds float64 `json:"recoverySeconds"`
	// Seconds is how long its last run took.
	Seconds  float64   `json:"seconds"`
	Findings []Finding `json:"findings,omitempty"`
	// NotJudged is why nothing can be said of the operator.
	NotJudged string `json:"notJudged,omitempty"`
	// HandOver is how a leader was succeeded, and Measures are the drill's, in a case that has them.
	HandOver *HandOver      `json:"handOver,omitempty"`
	Measures map[string]int `json:"measures,omitempty"`
	// Log is the end of what the operator printed, where something was found.
	Log      string   `json:"log,omitempty"`
	Timeline Timeline `json:"timeline"`

	recovery []proxy.Place
	words    string // the operator's last, where something was found
}

// HalfDone reports whether the kill struck in the middle of the work.
func (p PointResult) HalfDone() bool {
	return p.Injected && p.Point.Fault.kills() && p.CountAtKill != p.CountBefore && p.CountAtKill != p.CountAfter
}

func newPointResult(point Point, attempt int, injected bool, run *Recording, findings []Finding) PointResult {
	result := PointResult{
		Point: point, Injected: injected, Verdict: Passed, Attempts: attempt, Findings: findings,
		NotJudged: run.NotJudged, Seconds: run.Took.Seconds(), HandOver: run.HandOver, Measures: run.Measures, Timeline: newTimeline(run), recovery: recoveryOf(run),
	}
	switch {
	case len(findings) > 0:
		result.Verdict = Failed
		result.Log, result.words = tail(run.Log, logLines), lastWords(run.Log)
	case run.NotJudged != "":
		result.Verdict = NotJudged
	case !injected:
		result.Verdict = NotReached
	}
	strike := run.lastStrike()
	if strike == nil {
		return result
	}
	result.CountAtKill = strike.Count
	if !strike.Recovered.IsZero() {
		since := strike.At
		if strike.Fault.kills() {
			since = strike.Restarted
		}
		result.RecoverySeconds = strike.Recovered.Sub(since).Seconds()
	}
	if step, ok := run.step(strings.TrimSuffix(strike.Step, again)); ok {
		result.CountBefore, result.CountAfter = step.CountBefore, step.CountAfter
	}
	return result
}

// expect turns the verdict of a case around whose very point is what certain oracles find: it passes if each of them does, and
// no other.
func (p *PointResult) expect(oracles []string) {
	if len(oracles) == 0 {
		return
	}
	missing := slices.Clone(oracles)
	p.Verdict = Passed
	for i, finding := range p.Findings {
		if slices.Contains(oracles, finding.Oracle) {
			p.Findings[i].Expected = true
			missing = slices.DeleteFunc(missing, func(oracle string) bool { return oracle == finding.Oracle })
		} else {
			p.Verdict = Failed
		}
	}
	for _, oracle := range missing {
		p.Verdict = Failed
		p.Findings = append(p.Findings, Finding{Oracle: oracle, Text: "was to object, as this case shows what goes wrong; it did not"})
	}
}

func newReport(a *arena, baseline *baseline, results []PointResult, took time.Duration) *Report {
	reference := baseline.current()
	report := &Report{
		Summary: Summary{
			Operator: a.subject.Name, Drill: a.definition.Name, Identity: a.subject.Identity.String(), Points: len(results), Seconds: took.Seconds(),
		},
		Points:    results,
		Reference: newTimeline(reference.Recording),
		FaultFree: baseline.flakes(),
		Ignored:   reference.ignored,
		Unmatched: reference.unmatched,
	}
	if len(a.definition.Faults) > 0 {
		for _, place := range reference.unstable {
			report.Occasional = append(report.Occasional, place.String())
		}
	}
	for _, c := range a.definition.Cases {
		report.Cases = append(report.Cases, Outline{c.Name, c.Description})
	}
	for _, result := range results {
		if result.Injected {
			report.Summary.Injected++
		}
		switch {
		case result.Verdict.fails():
			report.Summary.Failed++
		case result.Verdict == NotJudged:
			report.Summary.NotJudged++
		case result.Verdict == NotConfirmed:
			report.Summary.NotConfirmed++
		default:
			report.Summary.Passed++
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
