package drill

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"objecting": objecting, "shown": shown, "lines": lines, "reproduce": reproduce, "kills": Fault.kills,
	"percent": func(x float64) string { return fmt.Sprintf("%.2f%%", x) },
}).Parse(page))

// WriteHTML writes a page that needs nothing but itself: what was found and measured, a table, and a timeline for each point.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, newPageView(r))
}

// pageView is a report, and which parts of the page make sense of its points.
type pageView struct {
	*Report
	// Sort is what the points are: writes, silences or cases.
	Sort   string
	Groups []pointGroup
	// Faults are those that occur, Kills is whether any of them kills, Pairs whether any point is a pair.
	Faults       []Fault
	Kills, Pairs bool
	// Repeated is whether any case is repeated.
	Repeated bool
	Measured measured
	Strips   handOverStrips
}

func newPageView(r *Report) pageView {
	v := pageView{Report: r, Sort: sortOf(r.Points), Measured: newMeasured(r.Points), Strips: newHandOverStrips(r)}
	for _, p := range r.Points {
		if !slices.Contains(v.Faults, p.Point.Fault) {
			v.Faults = append(v.Faults, p.Point.Fault)
		}
		v.Kills = v.Kills || p.Point.Fault.kills()
		v.Pairs = v.Pairs || len(p.Point.blows()) == 2
		v.Repeated = v.Repeated || p.Point.Round > 0
	}
	slices.SortFunc(v.Faults, func(a, b Fault) int { return slices.Index(faults(), a) - slices.Index(faults(), b) })
	v.Groups = groups(r, v.Faults)
	return v
}

// sortOf is what points are, which are all of one sort.
func sortOf(points []PointResult) string {
	switch {
	case len(points) > 0 && points[0].Point.Case != "":
		return "cases"
	case len(points) > 0 && points[0].Point.Fault == Silence:
		return "silences"
	}
	return "writes"
}

// Runs is what the page's script has.
func (v pageView) Runs() pageRuns { return newPageRuns(v.Report) }

// pointGroup are points that belong together: those of a step or of a case, or the pairs.
type pointGroup struct {
	Name, Description string
	Points            int
	// Columns are the points as the overview shows them, one below the other: the faults of one write, with nil where the
	// write has no such fault; or a single one.
	Columns [][]*PointResult
	// Faulted is whether there is a row for each fault.
	Faulted bool
}

// groups are the points in their order, cut where the step changes, or the case. Pairs have a group of their own.
func groups(r *Report, faults []Fault) []pointGroup {
	var all []pointGroup
	var last proxy.Place
	for i := range r.Points {
		p := &r.Points[i]
		name, faulted := groupOf(p.Point)
		if len(all) == 0 || all[len(all)-1].Name != name || all[len(all)-1].Faulted != faulted {
			all = append(all, pointGroup{Name: name, Faulted: faulted, Description: r.description(p.Point)})
			last = proxy.Place{}
		}
		g := &all[len(all)-1]
		g.Points++
		switch {
		case !faulted:
			g.Columns = append(g.Columns, []*PointResult{p})
			continue
		case p.Point.Place != last:
			g.Columns = append(g.Columns, make([]*PointResult, len(faults)))
			last = p.Point.Place
		}
		g.Columns[len(g.Columns)-1][slices.Index(faults, p.Point.Fault)] = p
	}
	return all
}

// groupOf names the group of a point, and says whether it has a row for each fault.
func groupOf(p Point) (name string, faulted bool) {
	switch {
	case p.Case != "":
		return p.Case, false
	case p.Again != Blow{}:
		return "killed again while recovering", false
	}
	return p.Step, p.Fault != Silence
}

// GroupName names the group of a point.
func (v pageView) GroupName(p Point) string {
	name, _ := groupOf(p)
	return name
}

// description is what a case is about; empty for other points.
func (r *Report) description(p Point) string {
	i := slices.IndexFunc(r.Cases, func(o Outline) bool { return o.Name == p.Case })
	if p.Case == "" || i < 0 {
		return ""
	}
	return r.Cases[i].Description
}

// CaseCount is how many cases the points are of.
func (v pageView) CaseCount() int {
	seen := map[string]bool{}
	for _, p := range v.Points {
		seen[p.Point.Case] = true
	}
	return len(seen)
}

// objecting are the oracles that found something which they should not have, each once; shown are those that were to.
func objecting(p PointResult) []string { return oracles(p, false) }
func shown(p PointResult) []string     { return oracles(p, true) }

func oracles(p PointResult, expected bool) []string {
	var names []string
	for _, finding := range p.Findings {
		if finding.Expected == expected && !slices.Contains(names, finding.Oracle) {
			names = append(names, finding.Oracle)
		}
	}
	return names
}

// line is one of a finding's text. It Differs if it is expected (-) or found (+).
type line struct {
	Text    string
	Differs bool
}

func lines(text string) []line {
	var all []line
	for text := range strings.Lines(strings.TrimRight(text, "\n")) {
		all = append(all, line{text, strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")})
	}
	return all
}

// reproduce is the flag that runs a point again, as a shell takes it.
func reproduce(p Point) string {
	return "--point '" + strings.ReplaceAll(p.String(), "'", `'\''`) + "'"
}

// manyPoints is more than are named where a cause was found; the rest is folded.
const manyPoints = 6

// First are the points to name of a cause, Rest the others.
func (c Cause) First() []Point { return c.Points[:min(len(c.Points), manyPoints)] }

// Rest are the points that First leaves.
func (c Cause) Rest() []Point { return c.Points[min(len(c.Points), manyPoints):] }

// measured is a table of measures, by case.
type measured struct {
	Names []string
	Rows  []measuredRow
}

type measuredRow struct {
	Point  Point
	Values []int
}

func newMeasured(points []PointResult) measured {
	var m measured
	for _, p := range points {
		for name := range p.Measures {
			if !slices.Contains(m.Names, name) {
				m.Names = append(m.Names, name)
			}
		}
	}
	slices.Sort(m.Names)
	for _, p := range points {
		if len(p.Measures) == 0 {
			continue
		}
		row := measuredRow{Point: p.Point}
		for _, name := range m.Names {
			row.Values = append(row.Values, p.Measures[name])
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// pageRuns is what the page's script has: the reference run and those of the points, in their order. Everything else is
// in the page's elements.
type pageRuns struct {
	// Texts are all texts of all marks, each once: there are tens of thousands of marks in a page.
	Texts []string  `json:"texts"`
	Runs  []pageRun `json:"runs"`
}

type pageRun struct {
	Findings []Finding `json:"findings,omitempty"`
	Log      string    `json:"log,omitempty"`
	// Timeline has lane, row, kind, at, took, text and replica of each mark, with an index of Texts for each text.
	Timeline [][7]float64 `json:"timeline"`
}

func newPageRuns(r *Report) pageRuns {
	var data pageRuns
	indices := map[string]int{}
	index := func(text string) float64 {
		i, ok := indices[text]
		if !ok {
			i = len(data.Texts)
			indices[text] = i
			data.Texts = append(data.Texts, text)
		}
		return float64(i)
	}
	for _, p := range append([]PointResult{{Timeline: r.Reference}}, r.Points...) {
		marks := make([][7]float64, len(p.Timeline))
		for i, m := range p.Timeline {
			marks[i] = [7]float64{
				index(m.Lane), index(m.Row), index(m.Kind), m.At, m.Took, index(m.Text), float64(m.Replica),
			}
		}
		data.Runs = append(data.Runs, pageRun{p.Findings, p.Log, marks})
	}
	return data
}
