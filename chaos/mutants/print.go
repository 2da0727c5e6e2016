package mutants

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/twinloop/chaos/drill"
)

// WriteMatrix writes a line for each mutant of each operator, with a column for each drill, and why those live that do.
func WriteMatrix(w io.Writer, cells []Cell) error {
	columns := append(slices.DeleteFunc(drill.Names(), func(name string) bool {
		return !slices.ContainsFunc(cells, func(c Cell) bool { return c.Drill == name })
	}), Suite)
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "MUTANT\tOPERATOR\t"+strings.ToUpper(strings.Join(columns, "\t")))
	for i, c := range cells {
		if i > 0 && cells[i-1].Mutant == c.Mutant && cells[i-1].Operator == c.Operator {
			continue
		}
		fmt.Fprintf(out, "%s\t%s", c.Mutant, c.Operator)
		for _, column := range columns {
			fmt.Fprint(out, "\t"+verdictIn(cells, c.Mutant, c.Operator, column))
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, c := range cells {
		if !c.Expected() {
			fmt.Fprintf(w, "\n%s, %s, %s: %s\n  %s\n", c.Mutant, c.Operator, c.Drill, c.Verdict, strings.ReplaceAll(c.Why, "\n", "\n  "))
		}
	}
	_, err := fmt.Fprintln(w, "\n"+Summary(cells))
	return err
}

// verdictIn is a cell's verdict; a dot where the mutant was not held against the drill.
func verdictIn(cells []Cell, mutant, operator, drill string) string {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Mutant == mutant && c.Operator == operator && c.Drill == drill })
	if i < 0 {
		return "."
	}
	return string(cells[i].Verdict)
}

// Summary says in a line how many mutants were caught where they say, and how many are alive.
func Summary(cells []Cell) string {
	counts := map[Verdict]int{}
	for _, c := range cells {
		counts[c.Verdict]++
	}
	return fmt.Sprintf("%d caught where they say, %d live; unbroken operators: %d drills silent, %d false alarms",
		counts[Caught], counts[Lives], counts[Silent], counts[FalseAlarm])
}

// WriteJSON writes the cells as a list.
func WriteJSON(w io.Writer, cells []Cell) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(cells)
}
