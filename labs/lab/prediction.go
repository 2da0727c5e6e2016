package lab

import (
	"cmp"
	"slices"
	"time"
)

// Prediction is an answer that a learner gave.
type Prediction struct {
	Answer string    `json:"answer"`
	At     time.Time `json:"at"`
	// AfterRun is set where the lab had been run, so that the answer could be known.
	AfterRun bool `json:"afterRun,omitempty"`
}

// Verdict is what became of a prediction.
type Verdict string

// The verdicts. What was asked and not predicted has that of what was never asked.
const (
	Right       Verdict = "right"
	Wrong       Verdict = "wrong"
	Unpredicted Verdict = "—"
)

// Comparison holds a measurement against its prediction, if there is one.
type Comparison struct {
	Measurement Measurement
	Predicted   string
	Verdict     Verdict
	AfterRun    bool
}

// Compare holds measurements against predictions, which go by the same names. What was asked comes first, in the order of the
// questions.
func Compare(l Lab, predictions map[string]Prediction, measurements []Measurement) []Comparison {
	place := func(m Measurement) int {
		if i := slices.IndexFunc(l.Questions, func(q Question) bool { return q.Name == m.Name }); i >= 0 {
			return i
		}
		return len(l.Questions)
	}
	measurements = slices.Clone(measurements)
	slices.SortStableFunc(measurements, func(a, b Measurement) int { return cmp.Compare(place(a), place(b)) })
	var all []Comparison
	for _, m := range measurements {
		c := Comparison{Measurement: m, Predicted: string(Unpredicted), Verdict: Unpredicted}
		prediction, predicted := predictions[m.Name]
		if question := l.Question(m.Name); question != nil && predicted {
			c.Predicted, c.AfterRun = withUnit(prediction.Answer, m.Unit), prediction.AfterRun
			c.Verdict = Wrong
			if question.Answer.Agrees(prediction.Answer, m.Value) {
				c.Verdict = Right
			}
		}
		all = append(all, c)
	}
	return all
}
