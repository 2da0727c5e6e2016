package drill

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

// Cause is a finding, and all points at which it was made. Findings that differ only in names that the API server made up, in
// numbers and in times are taken for one.
type Cause struct {
	Finding
	Points []Point `json:"points"`
}

// Causes are a report's findings, those of one cause together, in the order in which they were first made.
func (r *Report) Causes() []Cause {
	type key struct {
		oracle, text string
		expected     bool
	}
	var keys []key
	causes := map[key]*Cause{}
	for _, p := range r.Points {
		for _, finding := range p.Findings {
			k := key{finding.Oracle, cmp.Or(finding.cause, withoutParticulars(finding.Text)), finding.Expected}
			if causes[k] == nil {
				keys = append(keys, k)
				causes[k] = &Cause{Finding: finding}
			}
			if !slices.Contains(causes[k].Points, p.Point) {
				causes[k].Points = append(causes[k].Points, p.Point)
			}
		}
	}
	var all []Cause
	for _, k := range keys {
		all = append(all, *causes[k])
	}
	return all
}

// particulars are what two findings of one cause differ in: generated suffixes, uids and hashes, numbers.
var particulars = regexp.MustCompile(`-[a-z0-9]{4,10}\b|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+(\.[0-9]+)?`)

func withoutParticulars(text string) string { return particulars.ReplaceAllString(text, "…") }

// where names the points, the first of them if there are many.
func (c Cause) where() string {
	if n := len(c.Points); n > 1 {
		return fmt.Sprintf("%s and %d more points", c.Points[0], n-1)
	}
	return c.Points[0].String()
}
