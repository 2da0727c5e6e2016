package main

import (
	"errors"

	"github.com/spf13/cobra"

	"example.com/twinloop/diff"
)

func newDiffCommand() *cobra.Command {
	var check bool
	command := &cobra.Command{
		Use:   "diff [--check]",
		Short: "Write docs/diff.md: what kubebuilder scaffolds, beside what was written by hand",
		Long: "Scaffold anew in a temporary folder, hold that against kubebuilder/ and the lines that docs/diff.md cites, and write\n" +
			"the document. What has to be judged is read from diff/judgements.yaml, the prose from diff/diff.md.tmpl.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			do := diff.Write
			if check {
				do = diff.Check
			}
			err := do(command.Context())
			var problems diff.Problems
			if errors.As(err, &problems) {
				return finding{err}
			}
			return err
		},
	}
	command.Flags().BoolVar(&check, "check", false,
		"Write nothing, and exit with 1 if the document is out of date, a file has no row, or a cited line is not there.")
	return command
}
