package drill

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"text/tabwriter"
)

// WriteJSON writes the whole report.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteTable writes a line for each point, what was found, and the summary.
func (r *Report) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "POINT\tVERDICT\tBEFORE\tAT KILL\tAFTER\tRECOVERED IN\tRUNS")
	for _, p := range r.Points {
		halfDone := ""
		if p.HalfDone() {
			halfDone = " (half done)"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d%s\t%d\t%.2fs\t%d\n",
			p.Point, p.Verdict, p.CountBefore, p.CountAtKill, halfDone, p.CountAfter, p.RecoverySeconds, p.Attempts)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, p := range r.Points {
		for _, finding := range p.Findings {
			fmt.Fprintf(w, "\n%s\n  %s: %s\n", p.Point, finding.Oracle, finding.Text)
		}
	}
	s := r.Summary
	_, err := fmt.Fprintf(w, "\n%s, %s: %d points, %d injected (%d with work half done), %d passed, %d failed, in %.0f s (%.0f points a minute)\n",
		s.Operator, s.Drill, s.Points, s.Injected, s.HalfDone, s.Passed, s.Failed, s.Seconds, float64(s.Points)/s.Seconds*60)
	return err
}

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Parse(page))

// WriteHTML writes a page that needs nothing but itself: the table, and a timeline for each point.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r)
}
