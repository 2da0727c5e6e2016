package drill

import (
	"fmt"
	"regexp"
	"slices"
)

// Cause is a finding, and all points at which it was made. Findings that differ only in names that the API server made up, in
// numbers and in times are taken for one.
type Cause struct {
	Finding
	Points []Point `json:"points"`

	unconfirmed int    // at how many of them it was not made again
	words       string // the operator's last in the run in which it was first made
}

// Causes returns a report's findings, those of one cause together, in the order in which they were first made, but for those of lost
// objects, which come first.
func (r *Report) Causes() []Cause {
	type key struct {
		finding  string
		expected bool
	}
	var keys []key
	causes := map[key]*Cause{}
	for _, p := range r.Points {
		for _, finding := range p.Findings {
			k := key{finding.key(), finding.Expected}
			if causes[k] == nil {
				keys = append(keys, k)
				causes[k] = &Cause{Finding: finding, words: p.words}
			}
			if !slices.Contains(causes[k].Points, p.Point) {
				causes[k].Points = append(causes[k].Points, p.Point)
				if p.Verdict == NotConfirmed {
					causes[k].unconfirmed++
				}
			}
		}
	}
	var all []Cause
	for _, k := range keys {
		all = append(all, *causes[k])
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return lossOrder(a.lost, b.lost) })
	return all
}

// particulars are what two findings of one cause differ in: generated suffixes, uids and hashes, numbers.
var particulars = regexp.MustCompile(`-[a-z0-9]{4,10}\b|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+(\.[0-9]+)?`)

func withoutParticulars(text string) string { return particulars.ReplaceAllString(text, "…") }

// told returns the text, and where a step did not come to its end the operator's last words.
func (c Cause) told() string {
	if c.Oracle == Converges && c.words != "" {
		return c.withWords(c.words)
	}
	return c.Text
}

// where names the points, the first of them if there are many.
func (c Cause) where() string {
	switch more := len(c.Points) - 1; more {
	case 0:
		return c.Points[0].String()
	case 1:
		return fmt.Sprintf("%s and 1 more point", c.Points[0])
	default:
		return fmt.Sprintf("%s and %d more points", c.Points[0], more)
	}
}
