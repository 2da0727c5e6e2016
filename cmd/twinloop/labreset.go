package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

func newLabResetCommand(all []lab.Lab) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset [LAB]",
		Short: "Forget what you predicted, ran and checked, in one lab or in all",
		Long:  "Forget what you predicted, ran and checked, in one lab or in all. The folders that you work in stay as they are.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := progress.Default()
			if err != nil {
				return err
			}
			what, forget := "all labs", file.ForgetAll
			if len(args) == 1 {
				l, err := findLab(all, args[0])
				if err != nil {
					return err
				}
				what = fmt.Sprintf("lab %d", l.Number)
				forget = func() error { return file.Forget(l.Folder()) }
			}
			if !yes {
				if terminal(cmd.InOrStdin()) == nil {
					return errors.New("nobody is there to be asked: say --yes")
				}
				if sure, err := confirm(cmd, "Forget your progress in "+what+"?"); !sure {
					return err
				}
			}
			if err := forget(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Forgot the progress in %s.\n", what)
			return err
		},
	}
	cmd.ValidArgsFunction = completeLab(all)
	cmd.Flags().BoolVar(&yes, "yes", false, "Do not ask.")
	return cmd
}

// confirm asks, and takes everything but yes for no.
func confirm(cmd *cobra.Command, question string) (bool, error) {
	fmt.Fprintf(cmd.OutOrStdout(), "%s [y/N] ", question)
	select {
	case line := <-linesOf(cmd.InOrStdin()):
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-cmd.Context().Done():
		return false, cmd.Context().Err()
	}
}
