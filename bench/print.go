package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// WriteTable writes the result for a person.
func (r *Result) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintf(table, "PODS CREATED\t%s\tREPLICASET CONTROLLER\tRATIO\n", r.Operator)
	for _, c := range r.Creations {
		fmt.Fprintf(table, "%s\t%.0f/s\t%.0f/s\t%.2f\n", c.Shape, c.Operator, c.ReplicaSet, c.Ratio())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	c := r.Convergence
	calls, each := 0, ""
	for _, method := range slices.Sorted(maps.Keys(c.Calls)) {
		calls += c.Calls[method]
		each += fmt.Sprintf(", %d %s", c.Calls[method], method)
	}
	_, err := fmt.Fprintf(w, "\n%s pods all available after %.0f s; %s sent %d requests (%.2f a pod%s) and took %.0f MiB at most\n",
		c.Shape, c.Seconds, r.Operator, calls, float64(calls)/float64(c.Shape.total()), each, float64(c.PeakMemory)/(1<<20))
	return err
}

// WriteJSON writes the result for a program.
func (r *Result) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
