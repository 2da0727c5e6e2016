package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

func newLabCheckCommand(all []lab.Lab) *cobra.Command {
	var folder string
	cmd := oneLab(all, &cobra.Command{
		Use:   "check LAB",
		Short: "Check what you made or predicted in a lab",
		Long: "Check what you made in the folder that 'start' laid out. Where nothing is made, a lab is settled when it was run,\n" +
			"every question is answered, and no answer is wrong: predict again what was.\n\n" +
			"Exit status: 0 if it holds up, 1 if not, 2 if it could not be checked.",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		file, record, err := readRecord(l)
		if err != nil {
			return err
		}
		if folder != "" && l.Check == nil {
			return fmt.Errorf("--folder: nothing is made in lab %d; leave it out", l.Number)
		}
		if folder != "" {
			record.Folder = folder
		}
		if l.Check != nil && record.Folder == "" {
			return fmt.Errorf("lab %d was not started: lay out its folder with 'twinloop lab start %d', or name one with --folder",
				l.Number, l.Number)
		}
		problem := checkLab(cmd, l, record)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err() // it says nothing about what was made
		}
		check := progress.Check{At: time.Now()}
		if problem != nil {
			check.Problem = problem.Error()
		}
		if err := file.Update(l.Folder(), func(r *progress.Record) { r.Checks = append(r.Checks, check) }); err != nil {
			return err
		}
		if problem != nil {
			return finding{fmt.Errorf("lab %d does not hold up yet: %w", l.Number, problem)}
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Lab %d holds up.\n", l.Number)
		return err
	})
	cmd.Flags().StringVar(&folder, "folder", "", "Check this folder, and not the one that 'start' laid out.")
	return cmd
}

// checkLab is what is wrong with what was made, or else with what was predicted.
func checkLab(cmd *cobra.Command, l lab.Lab, record progress.Record) error {
	if l.Check != nil {
		return l.Check(cmd.Context(), record.Folder, lab.NewBench(l, cmd.OutOrStdout()))
	}
	if left := record.Unsettled(l); len(left) > 0 {
		return errors.New("\n  " + strings.Join(left, "\n  "))
	}
	return nil
}
