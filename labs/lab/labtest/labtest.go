// Package labtest runs a lab's experiment in a test and holds it against what the lab's page says.
package labtest

import (
	"slices"
	"testing"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/page"
)

// Verify runs the experiment. Every question must be about something that was measured, in the form of its answer, and the
// page must say of every measurement, and of nothing else, what came of it.
func Verify(t *testing.T, l lab.Lab) {
	t.Helper()
	bench := lab.NewBench(l, t.Output())
	if err := l.Run(t.Context(), bench); err != nil {
		t.Fatal(err)
	}
	rows, err := page.Measured(l.Page)
	if err != nil {
		t.Fatal(err)
	}
	measurements := bench.Measurements()
	for _, problem := range slices.Concat(unanswered(l.Questions, measurements), disagreements(rows, measurements)) {
		t.Error(problem)
	}
}

func unanswered(questions []lab.Question, measurements []lab.Measurement) []string {
	var problems []string
	for _, q := range questions {
		i := slices.IndexFunc(measurements, func(m lab.Measurement) bool { return m.Name == q.Name })
		if i < 0 {
			problems = append(problems, q.Name+" is asked about and not measured")
		} else if value := measurements[i].Value; !answers(q, value) {
			problems = append(problems, q.Name+" was measured as "+value+", which is no answer to its question")
		}
	}
	return problems
}

// answers tells whether a measured value could have been predicted.
func answers(q lab.Question, value string) bool {
	parsed, err := q.Answer.Parse(value)
	return err == nil && parsed == value
}

func disagreements(rows []page.Row, measurements []lab.Measurement) []string {
	var problems []string
	for _, m := range measurements {
		i := slices.IndexFunc(rows, func(r page.Row) bool { return r.Name == m.Name })
		if i < 0 {
			problems = append(problems, m.Name+" was measured as "+m.String()+", and the page does not say so")
		} else if !rows[i].Admits(m) {
			problems = append(problems, m.Name+" was measured as "+m.String()+"; the page says "+rows[i].Value)
		}
	}
	for _, r := range rows {
		if !slices.ContainsFunc(measurements, func(m lab.Measurement) bool { return m.Name == r.Name }) {
			problems = append(problems, r.Name+" is on the page and was not measured")
		}
	}
	return problems
}
