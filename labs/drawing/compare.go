package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// CompareArrows is what is wrong with the arrows of a drawing: what was drawn and is not so, in the order of the text, and then
// what is so and was not drawn.
func (d Drawing) CompareArrows(truth Pipeline) []Problem {
	c := comparison{truth: truth, drawn: map[Flow]Position{}, stages: map[Stage]bool{}}
	for _, arrow := range d.Arrows {
		c.arrow(arrow)
	}
	for _, stage := range truth.Stages() {
		if !c.stages[stage] {
			c.report(Position{}, "missing: a stage, the %s", stage)
		}
	}
	for _, flow := range truth.Required() {
		if _, drawn := c.drawn[flow]; !drawn && c.stages[flow.From] && c.stages[flow.To] {
			c.report(Position{}, "missing: %s -> %s", flow.From, flow.To)
		}
	}
	return c.problems
}

// Mentions tells whether a stage is in the drawing.
func (d Drawing) Mentions(stage Stage) bool {
	is := func(name Name) bool { return slices.Contains(namesOf(stage), plain(name.Text)) }
	return slices.ContainsFunc(d.Arrows, func(a Arrow) bool { return is(a.From) || is(a.To) })
}

type comparison struct {
	truth    Pipeline
	drawn    map[Flow]Position // that are in the pipeline, where they were first drawn
	stages   map[Stage]bool    // that were drawn
	problems []Problem
}

func (c *comparison) arrow(arrow Arrow) {
	from, to := c.stage(arrow.From), c.stage(arrow.To)
	if from == "" || to == "" {
		return
	}
	forth, back := Flow{From: from, To: to}, Flow{From: to, To: from}
	before, twice := c.drawn[forth]
	switch {
	case twice:
		c.report(arrow.From.At, "%s -> %s was drawn already, in line %d", from, to, before.Line)
	case c.truth.flow(from, to):
		c.drawn[forth] = arrow.From.At
	case c.truth.flow(to, from):
		c.report(arrow.From.At, "%s -> %s is the wrong way round", from, to)
		c.drawn[back] = arrow.From.At
	default:
		c.report(arrow.From.At, "nothing goes straight from the %s to the %s", from, to)
	}
}

// stage is what a name means. A name between two arrows is the end of one and the beginning of the other, and is reported once.
func (c *comparison) stage(name Name) Stage {
	stage, problem := find(name)
	if problem != nil && !slices.Contains(c.problems, *problem) {
		c.problems = append(c.problems, *problem)
	}
	if stage != "" {
		c.stages[stage] = true
	}
	return stage
}

func (c *comparison) report(at Position, format string, args ...any) {
	c.problems = append(c.problems, Problem{at, fmt.Sprintf(format, args...)})
}

// Sort puts problems into the order of the text. What is missing comes last.
func Sort(problems []Problem) {
	line := func(p Problem) int {
		if p.At.Line == 0 {
			return math.MaxInt
		}
		return p.At.Line
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(line(a), line(b)), cmp.Compare(a.At.Column, b.At.Column))
	})
}
