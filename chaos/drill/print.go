package drill

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"example.com/twinloop/chaos/proxy"
)

// WriteJSON writes the whole report.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteTable writes a line for each point, what was found, and the summary.
func (r *Report) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, tableHead)
	for _, p := range r.Points {
		fmt.Fprintln(table, p.row())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	r.writeFindings(w, "")
	return r.writeSummary(w)
}

// Reports are those of several operators in the same drill.
type Reports []*Report

// WriteJSON writes them as a list.
func (all Reports) WriteJSON(w io.Writer) error { return writeJSON(w, all) }

// WriteTable writes them as one table, in which each line names its operator, and a summary for each.
func (all Reports) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "OPERATOR\t"+tableHead)
	for _, r := range all {
		for _, p := range r.Points {
			fmt.Fprintln(table, r.Summary.Operator+"\t"+p.row())
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		r.writeFindings(w, r.Summary.Operator+", ")
	}
	for _, r := range all {
		if err := r.writeSummary(w); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

const tableHead = "POINT\tVERDICT\tBEFORE\tAT KILL\tAFTER\tRECOVERED IN\tRUNS"

func (p PointResult) row() string {
	atKill := "-"
	if p.Point.Fault.kills() {
		atKill = strconv.Itoa(p.CountAtKill)
	}
	if p.HalfDone() {
		atKill += " (half done)"
	}
	return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t%.2fs\t%d",
		p.Point, p.Verdict, p.CountBefore, atKill, p.CountAfter, p.RecoverySeconds, p.Attempts)
}

// writeFindings writes what was found at each point, whose heading begins with what tells apart those of two reports.
func (r *Report) writeFindings(w io.Writer, heading string) {
	for _, p := range r.Points {
		for _, finding := range p.Findings {
			fmt.Fprintf(w, "\n%s%s\n  %s: %s\n", heading, p.Point, finding.Oracle, finding.Text)
		}
	}
}

func (r *Report) writeSummary(w io.Writer) error {
	s := r.Summary
	_, err := fmt.Fprintf(w, "\n%s, %s: %d points, %d injected (%d with work half done), %d passed, %d failed, "+
		"in %.0f s (%.0f points a minute)\n",
		s.Operator, s.Drill, s.Points, s.Injected, s.HalfDone, s.Passed, s.Failed, s.Seconds, float64(s.Points)/s.Seconds*60)
	return err
}

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"byStep": byStep, "byPlace": byPlace, "oracles": oracles, "runs": newPageRuns,
}).Parse(page))

// WriteHTML writes a page that needs nothing but itself: the table, and a timeline for each point.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r)
}

// byStep are the points in their order, those of one step together.
func byStep(points []PointResult) [][]PointResult {
	return together(points, func(p PointResult) string { return p.Point.Step })
}

// byPlace are the points in their order, the two sides of one write together.
func byPlace(points []PointResult) [][]PointResult {
	return together(points, func(p PointResult) proxy.Place { return p.Point.Place })
}

// together are the points in their order, cut where the key changes.
func together[K comparable](points []PointResult, key func(PointResult) K) [][]PointResult {
	var groups [][]PointResult
	for i, p := range points {
		if i == 0 || key(p) != key(points[i-1]) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], p)
	}
	return groups
}

// oracles are those that found something, each once.
func oracles(p PointResult) []string {
	var names []string
	for _, finding := range p.Findings {
		if !slices.Contains(names, finding.Oracle) {
			names = append(names, finding.Oracle)
		}
	}
	return names
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
	// Timeline has lane, row, kind, at, took and text of each mark, with an index of Texts for each text.
	Timeline [][6]float64 `json:"timeline"`
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
		marks := make([][6]float64, len(p.Timeline))
		for i, m := range p.Timeline {
			marks[i] = [6]float64{index(m.Lane), index(m.Row), index(m.Kind), m.At, m.Took, index(m.Text)}
		}
		data.Runs = append(data.Runs, pageRun{p.Findings, p.Log, marks})
	}
	return data
}
