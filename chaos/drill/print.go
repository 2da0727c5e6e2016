package drill

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Reports are those of several operators or several drills.
type Reports []*Report

// of returns those of one drill.
func (all Reports) of(drill string) Reports {
	return slices.DeleteFunc(slices.Clone(all), func(r *Report) bool { return r.Summary.Drill != drill })
}

// drills are the names of the drills, in their order.
func (all Reports) drills() []string {
	var names []string
	for _, r := range all {
		if !slices.Contains(names, r.Summary.Drill) {
			names = append(names, r.Summary.Drill)
		}
	}
	return names
}

// WriteTable writes a line for each point, or, of several drills, only for those at which something was found; then what was
// found, each cause once; what was measured; and a summary for each report.
func (all Reports) WriteTable(w io.Writer) error {
	drills := all.drills()
	out := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	for _, name := range drills {
		all.of(name).writePoints(out, len(drills) == 1)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		r.writeFindings(w)
	}
	for _, r := range all {
		r.writeFaultFree(w)
		r.writeIgnored(w)
		r.writeOccasional(w)
		r.writeUnmatched(w)
	}
	for _, name := range drills {
		if err := all.of(name).writeMeasured(w); err != nil {
			return err
		}
	}
	return all.writeSummaries(w)
}

// writePoints writes a line for each point of one drill.
func (all Reports) writePoints(w io.Writer, every bool) {
	type line struct {
		operator string
		PointResult
	}
	var lines []line
	for _, r := range all {
		for _, p := range r.Points {
			if every || p.Verdict != Passed {
				lines = append(lines, line{r.Summary.Operator, p})
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	head, row := pointColumns(all[0].Points)
	fmt.Fprintln(w, "OPERATOR\t"+head)
	for _, l := range lines {
		fmt.Fprintln(w, l.operator+"\t"+row(l.PointResult))
	}
}

// pointColumns are the columns that make sense of the points of a drill.
func pointColumns(points []PointResult) (head string, row func(PointResult) string) {
	if !slices.ContainsFunc(points, func(p PointResult) bool { return len(p.Point.blows()) > 0 }) {
		return "POINT\tVERDICT\tTOOK", func(p PointResult) string {
			return fmt.Sprintf("%s\t%s\t%.1fs", p.Point, p.Verdict, p.Seconds)
		}
	}
	return "POINT\tVERDICT\tBEFORE\tAT KILL\tAFTER\tRECOVERED IN\tRUNS", func(p PointResult) string {
		if len(p.Point.blows()) == 0 {
			return fmt.Sprintf("%s\t%s\t-\t-\t-\t-\t%d", p.Point, p.Verdict, p.Attempts)
		}
		atKill := "-"
		if p.Point.Fault.kills() {
			atKill = strconv.Itoa(p.CountAtKill)
		}
		if p.HalfDone() {
			atKill += " (half done)"
		}
		recovered := "-"
		if p.RecoverySeconds > 0 {
			recovered = fmt.Sprintf("%.2fs", p.RecoverySeconds)
		}
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t%s\t%d",
			p.Point, p.Verdict, p.CountBefore, atKill, p.CountAfter, recovered, p.Attempts)
	}
}

// writeFindings writes what was found, what has one cause once.
func (r *Report) writeFindings(w io.Writer) {
	for _, c := range r.Causes() {
		note := ""
		if c.Expected {
			note = " (as this case is there to show)"
		}
		fmt.Fprintf(w, "\n%s, %s, at %s%s\n  %s: %s\n", r.Summary.Operator, r.Summary.Drill, c.where(), note, c.Oracle,
			strings.ReplaceAll(strings.TrimRight(c.told(), "\n"), "\n", "\n    "))
		if !c.Expected {
			fmt.Fprintf(w, "  reproduce with: --point '%s'\n", c.Points[0])
		}
		if c.unconfirmed > 0 {
			fmt.Fprintf(w, "  at %d of these points it was not found again\n", c.unconfirmed)
		}
	}
}

// writeFaultFree writes what the operator did wrong without a fault, and how often.
func (r *Report) writeFaultFree(w io.Writer) {
	for _, flake := range r.FaultFree {
		fmt.Fprintf(w, "\n%s, %s, without any fault%s\n  %s: %s\n", r.Summary.Operator, r.Summary.Drill, flake.often(), flake.Oracle,
			strings.ReplaceAll(strings.TrimRight(flake.withWords(lastWords(flake.Log)), "\n"), "\n", "\n    "))
	}
}

// often says in how many runs something happened without a fault.
func (f Flake) often() string {
	var often string
	if f.Runs > 0 {
		often = fmt.Sprintf(", in %d of %d runs", f.Runs, f.Of)
	}
	if f.Before > 0 {
		often += fmt.Sprintf(", and before the fault was injected in %d", f.Before)
	}
	return often
}

// writeIgnored writes the line for the drill file that says what was ignored in any case.
func (r *Report) writeIgnored(w io.Writer) {
	if len(r.Ignored) > 0 {
		fmt.Fprintf(w, "\n%s, %s: these fields differ between fault-free runs and were ignored; to say so in the drill file:\n%s\n",
			r.Summary.Operator, r.Summary.Drill, ignoreLine(r.Ignored))
	}
}

// writeOccasional names the writes at which nothing was done, since not every fault-free run makes them.
func (r *Report) writeOccasional(w io.Writer) {
	if len(r.Occasional) > 0 {
		fmt.Fprintf(w, "\n%s, %s: no points, since only some of the fault-free runs made them: %s\n",
			r.Summary.Operator, r.Summary.Drill, strings.Join(r.Occasional, "; "))
	}
}

// writeUnmatched names the paths to ignore that may be misspelt.
func (r *Report) writeUnmatched(w io.Writer) {
	if len(r.Unmatched) > 0 {
		fmt.Fprintf(w, "\n%s, %s: ignore: no object in the fault-free runs had %s: misspelt?\n",
			r.Summary.Operator, r.Summary.Drill, strings.Join(r.Unmatched, ", "))
	}
}

// writeMeasured writes the measures and the hand-overs of one drill.
func (all Reports) writeMeasured(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	for i, r := range all {
		r.writeMeasures(out, i == 0)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i, r := range all {
		r.writeHandOvers(out, i == 0)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		r.writeFormerWrites(w)
	}
	return nil
}

func (r *Report) writeMeasures(w io.Writer, head bool) {
	for _, p := range r.Points {
		if len(p.Measures) == 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(p.Measures))
		if head {
			fmt.Fprintln(w, "\nOPERATOR\tCASE\t"+strings.ToUpper(strings.Join(names, "\t")))
			head = false
		}
		fmt.Fprintf(w, "%s\t%s", r.Summary.Operator, p.Point)
		for _, name := range names {
			fmt.Fprintf(w, "\t%d", p.Measures[name])
		}
		fmt.Fprintln(w)
	}
}

// writeHandOvers writes how long hand-overs took, beside what the rules of leader election allow.
func (r *Report) writeHandOvers(w io.Writer, head bool) {
	for _, d := range r.HandOvers() {
		if head {
			fmt.Fprintln(w, "\nOPERATOR\tCASE\tRUNS\tNEW HOLDER AFTER\tMEDIAN\tBY THE RULES\tWITHIN\tFIRST WRITE AFTER\tMEDIAN\tFORMER'S WRITES")
			head = false
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.1fs\t%.1f to %.1fs\t%d of %d\t%s\t%.1fs\t%s\n",
			r.Summary.Operator, d.Case, d.Runs, spread(d.NewHolder), median(d.NewHolder), d.From, d.To, d.Within, d.Runs,
			spread(d.FirstWrite), median(d.FirstWrite), d.formerWrites())
	}
}

// writeFormerWrites lists each write of a leader that was none any more, and what became of it.
func (r *Report) writeFormerWrites(w io.Writer) {
	for _, p := range r.Points {
		if p.HandOver == nil {
			continue
		}
		for _, f := range p.HandOver.Former {
			fmt.Fprintf(w, "%s, %s: the former leader sent %s %s after %.2f s, %.2f s after its successor's first write: %s\n",
				r.Summary.Operator, p.Point, f.Request, f.Object, f.At, f.At-p.HandOver.FirstWrite, f.became())
		}
	}
}

func spread(values []float64) string {
	if len(values) == 0 {
		return "never"
	}
	return fmt.Sprintf("%.1f to %.1fs", slices.Min(values), slices.Max(values))
}

// writeSummaries writes what came of each report, in numbers.
func (all Reports) writeSummaries(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(out, "\nOPERATOR\tDRILL\tPOINTS\tINJECTED\tHALF DONE\tPASSED\tFAILED\tNOT CONFIRMED\tNOT JUDGED\tSECONDS\tPOINTS A MINUTE")
	var total Summary
	for _, r := range all {
		s := r.Summary
		writeSummary(out, s)
		total.Points += s.Points
		total.Injected += s.Injected
		total.HalfDone += s.HalfDone
		total.Passed += s.Passed
		total.Failed += s.Failed
		total.NotConfirmed += s.NotConfirmed
		total.NotJudged += s.NotJudged
		total.Seconds += s.Seconds
	}
	if len(all) > 1 {
		total.Operator = "all"
		writeSummary(out, total)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		if r.Summary.Interrupted {
			fmt.Fprintf(w, "\n%s, %s: interrupted; there are more points than these %d.\n", r.Summary.Operator, r.Summary.Drill, r.Summary.Points)
		}
	}
	return nil
}

func writeSummary(w io.Writer, s Summary) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t%.0f\n", s.Operator, cmp.Or(s.Drill, "-"),
		s.Points, s.Injected, s.HalfDone, s.Passed, s.Failed, s.NotConfirmed, s.NotJudged, s.Seconds, float64(s.Points)/s.Seconds*60)
}
