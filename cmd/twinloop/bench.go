package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/twinloop/bench"
)

func newBenchCommand() *cobra.Command {
	var names []string
	var output string
	command := &cobra.Command{
		Use:   "bench [--operator OPERATOR,...]",
		Short: "Measure what operators cost, beside each other and kube-controller-manager",
		Long: "Create pods with each operator and with kube-controller-manager's ReplicaSet controller in turn, on one API server;\n" +
			"then bring up 1,000 and 10,000 pods with each operator alone. It takes about ten minutes.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			subjects, err := findOperators(names)
			if err != nil {
				return err
			}
			if output != "table" && output != "json" && output != "markdown" {
				return fmt.Errorf("--output: must be table, json or markdown, not %q", output)
			}
			result, err := bench.Run(command.Context(), subjects, command.ErrOrStderr())
			if err != nil {
				return err
			}
			switch output {
			case "json":
				return result.WriteJSON(command.OutOrStdout())
			case "markdown":
				return result.WriteMarkdown(command.OutOrStdout())
			}
			return result.WriteTable(command.OutOrStdout())
		},
	}
	command.Flags().StringSliceVar(&names, "operator", knownOperators(), "Operators to measure.")
	command.Flags().StringVarP(&output, "output", "o", "table", "What to print: table, json or markdown.")
	return command
}
