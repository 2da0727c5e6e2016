// Package progress keeps what a learner predicted, ran and checked, in a file of the user's.
package progress

import (
	"fmt"
	"time"

	"example.com/twinloop/labs/lab"
)

// Progress is all of a learner's, by the names of the labs' folders.
type Progress struct {
	Labs map[string]Record `json:"labs"`
}

// Record is what a learner did in one lab.
type Record struct {
	// Predictions go by the names of measurements.
	Predictions map[string]lab.Prediction `json:"predictions,omitempty"`
	Runs        []Run                     `json:"runs,omitempty"`
	// Folder is where the learner works, as an absolute path; empty until the lab is started.
	Folder string  `json:"folder,omitempty"`
	Checks []Check `json:"checks,omitempty"`
}

// Run is a run that came to its end.
type Run struct {
	At       time.Time         `json:"at"`
	Measured []lab.Measurement `json:"measured,omitempty"`
}

// Check is a check, and what it found wrong.
type Check struct {
	At      time.Time `json:"at"`
	Problem string    `json:"problem,omitempty"`
}

// Predict keeps an answer in place of an earlier one.
func (r *Record) Predict(measurement, answer string, now time.Time) {
	if r.Predictions == nil {
		r.Predictions = map[string]lab.Prediction{}
	}
	r.Predictions[measurement] = lab.Prediction{Answer: answer, At: now, AfterRun: len(r.Runs) > 0}
}

// Predicted is the number of questions that were answered.
func (r Record) Predicted(l lab.Lab) int {
	n := 0
	for _, q := range l.Questions {
		if _, ok := r.Predictions[q.Name]; ok {
			n++
		}
	}
	return n
}

// Stage is how far the learner came, in a few words; empty for nowhere. That a lab was settled stays until a check fails; that
// a check failed is forgotten with the next try.
func (r Record) Stage(l lab.Lab) string {
	switch predicted := r.Predicted(l); {
	case len(r.Checks) > 0 && r.Checks[len(r.Checks)-1].Problem == "":
		return "checked"
	case len(r.Checks) > 0 && !r.triedSince(r.Checks[len(r.Checks)-1].At):
		return "check failed"
	case len(r.Runs) > 0:
		return "run"
	case r.Folder != "":
		return "started"
	case predicted > 0:
		return fmt.Sprintf("predicted %d of %d", predicted, len(l.Questions))
	}
	return ""
}

// triedSince tells whether anything was run or predicted since.
func (r Record) triedSince(at time.Time) bool {
	for _, prediction := range r.Predictions {
		if prediction.At.After(at) {
			return true
		}
	}
	return len(r.Runs) > 0 && r.Runs[len(r.Runs)-1].At.After(at)
}

// Unsettled is what is left to do in a lab where nothing is made: to answer every question, to run, and to answer anew what was
// answered wrong. Nil if nothing is.
func (r Record) Unsettled(l lab.Lab) []string {
	if len(r.Runs) == 0 {
		return []string{"it was not run to its end"}
	}
	var left []string
	for _, q := range l.Questions {
		if _, ok := r.Predictions[q.Name]; !ok {
			left = append(left, q.Name+" was not predicted")
		}
	}
	for _, c := range lab.Compare(l, r.Predictions, r.Runs[len(r.Runs)-1].Measured) {
		if c.Verdict == lab.Wrong {
			left = append(left, fmt.Sprintf("%s: you said %q, and it is %q", c.Measurement.Name, c.Predicted, c.Measurement))
		}
	}
	return left
}
