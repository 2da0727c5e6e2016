package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// rows are the result as a table whose first row are its headings, and whose columns are the operators and, last,
// kube-controller-manager's ReplicaSet controller.
func (r *Result) rows() [][]string {
	heading := []string{""}
	for _, cost := range r.Costs {
		heading = append(heading, cost.Operator)
	}
	table := [][]string{append(heading, "ReplicaSet controller")}
	row := func(label, last string, of func(Cost) string) {
		line := []string{label}
		for _, cost := range r.Costs {
			line = append(line, of(cost))
		}
		table = append(table, append(line, last))
	}
	for _, c := range r.Creations {
		row(fmt.Sprintf("pods created a second, %s", c.Shape), fmt.Sprintf("%.0f", c.ReplicaSet), func(cost Cost) string {
			rate := c.Operators[cost.Operator]
			return fmt.Sprintf("%.0f (%.2f×)", rate, rate/c.ReplicaSet)
		})
	}
	row("start of the process to its first pod", "", func(c Cost) string { return fmt.Sprintf("%.2f s", c.FirstWrite) })
	for i, shape := range convergenceShapes {
		of := func(c Cost) Convergence { return c.Convergences[i] }
		row(fmt.Sprintf("%s pods all ready after", shape), "", func(c Cost) string { return fmt.Sprintf("%.0f s", of(c).Seconds) })
		row(fmt.Sprintf("%s requests a Fleet", shape), "", func(c Cost) string {
			return fmt.Sprintf("%.0f", float64(of(c).calls())/float64(shape.Owners))
		})
		row(fmt.Sprintf("%s most memory", shape), "", func(c Cost) string {
			return fmt.Sprintf("%.0f MiB", mebibytes(of(c).PeakMemory))
		})
	}
	row("size of the program", "", func(c Cost) string { return fmt.Sprintf("%.0f MiB", mebibytes(c.Binary)) })
	return table
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// WriteTable writes the result for a person.
func (r *Result) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	for _, row := range r.rows() {
		fmt.Fprintln(table, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return table.Flush()
}

// WriteMarkdown writes the result for a document.
func (r *Result) WriteMarkdown(w io.Writer) error {
	for i, row := range r.rows() {
		line := strings.ReplaceAll("| "+strings.Join(row, " | ")+" |", "|  |", "| |")
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintf(w, "|---%s|\n", strings.Repeat("|---:", len(row)-1))
		}
	}
	return nil
}

// WriteJSON writes the result for a program.
func (r *Result) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
