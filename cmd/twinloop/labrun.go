package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

func newLabRunCommand(all []lab.Lab) *cobra.Command {
	return oneLab(all, &cobra.Command{
		Use:   "run LAB",
		Short: "Run a lab's experiment, and hold what it measures against your predictions",
		Long:  "Run a lab's experiment. It tells what it does, leaves nothing behind, and can be interrupted and run again.",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		file, record, err := readRecord(l)
		if err != nil {
			return err
		}
		if len(l.Questions) > 0 && record.Predicted(l) == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "you predicted nothing; 'twinloop lab predict %d' first teaches more\n", l.Number)
		}
		out := cmd.OutOrStdout()
		bench := lab.NewBench(l, out)
		if err := l.Run(cmd.Context(), bench); err != nil {
			return fmt.Errorf("lab %d: %w", l.Number, err)
		}
		measured := bench.Measurements()
		if err := printComparison(out, lab.Compare(l, record.Predictions, measured)); err != nil {
			return err
		}
		return file.Update(l.Folder(), func(r *progress.Record) {
			r.Runs = append(r.Runs, progress.Run{At: time.Now(), Measured: measured})
		})
	})
}

// widestCell is the longest value that is printed in a table; longer ones, such as orderings, follow below it.
const widestCell = 32

func printComparison(out io.Writer, all []lab.Comparison) error {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "MEASUREMENT\tPREDICTED\tMEASURED\tVERDICT")
	right, predicted, below := 0, 0, ""
	for _, c := range all {
		name, measured, verdict := c.Measurement.Name, c.Measurement.String(), string(c.Verdict)
		if c.AfterRun {
			verdict += ", predicted after a run"
		}
		if c.Verdict != lab.Unpredicted {
			predicted++
		}
		if c.Verdict == lab.Right {
			right++
		}
		switch {
		case max(len(c.Predicted), len(measured)) <= widestCell:
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, c.Predicted, measured, verdict)
		case c.Verdict == lab.Unpredicted:
			below += fmt.Sprintf("\n%s\n  measured    %s\n", name, measured)
		default:
			below += fmt.Sprintf("\n%s: %s\n  predicted   %s\n  measured    %s\n", name, verdict, c.Predicted, measured)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, below)
	if predicted > 0 {
		fmt.Fprintf(out, "\n%d of %d predictions were right.\n", right, predicted)
	}
	return nil
}
