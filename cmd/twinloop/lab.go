package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

// newLabCommand holds the commands of the labs. A lab goes by its number or its name in all of them.
func newLabCommand(all []lab.Lab) *cobra.Command {
	cmd := newGroup("lab", "Learn how controllers work: predict, run, and compare")
	cmd.Long = `Learn how controllers work, in labs: exercises on the real machinery.

Read a lab's page with 'show', commit yourself with 'predict', and see what you were wrong about with 'run'. 'check' says
whether a lab is settled. Progress is kept in labs.yaml in $XDG_STATE_HOME/twinloop, or ~/.local/state/twinloop.`
	cmd.Example = `  twinloop lab list
  twinloop lab show 6
  twinloop lab predict 6
  twinloop lab run 6
  twinloop lab check 6`
	cmd.AddCommand(newLabListCommand(all), newLabShowCommand(all), newLabPredictCommand(all), newLabRunCommand(all),
		newLabStartCommand(all), newLabCheckCommand(all), newLabResetCommand(all))
	return cmd
}

// oneLab has a command take a lab for its first argument.
func oneLab(all []lab.Lab, cmd *cobra.Command, do func(*cobra.Command, lab.Lab) error) *cobra.Command {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.New("name one lab, by its number or its name; 'twinloop lab list' shows them")
		}
		return nil
	}
	cmd.ValidArgsFunction = completeLab(all)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		l, err := findLab(all, args[0])
		if err != nil {
			return err
		}
		return do(cmd, l)
	}
	return cmd
}

func completeLab(all []lab.Lab) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		if len(args) == 0 {
			for _, l := range all {
				names = append(names, cobra.CompletionWithDesc(l.Name, l.Title))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// readRecord is what is known of a lab, and where it is kept.
func readRecord(l lab.Lab) (progress.File, progress.Record, error) {
	file, err := progress.Default()
	if err != nil {
		return file, progress.Record{}, err
	}
	all, err := file.Read()
	return file, all.Labs[l.Folder()], err
}

// terminal is the terminal that a stream is, or nil.
func terminal(stream any) *os.File {
	if file, ok := stream.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// inColor tells whether output is to be colored: on a terminal, unless the user does not want it (https://no-color.org).
func inColor(out io.Writer) bool { return terminal(out) != nil && os.Getenv("NO_COLOR") == "" }
