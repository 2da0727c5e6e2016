package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/twinloop/bench"
)

func newBenchCommand() *cobra.Command {
	var name, output string
	command := &cobra.Command{
		Use:   "bench --operator OPERATOR",
		Short: "Measure what an operator costs, beside kube-controller-manager",
		Long: "Create pods with an operator and with kube-controller-manager's ReplicaSet controller in turn, on one API server, and\n" +
			"bring up 10,000 pods with the operator alone. It takes a few minutes.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			subject, err := findOperator(name)
			if err != nil {
				return err
			}
			if output != "table" && output != "json" {
				return fmt.Errorf("--output: must be table or json, not %q", output)
			}
			result, err := bench.Run(command.Context(), subject, command.ErrOrStderr())
			if err != nil {
				return err
			}
			if output == "json" {
				return result.WriteJSON(command.OutOrStdout())
			}
			return result.WriteTable(command.OutOrStdout())
		},
	}
	addOperatorFlag(command.Flags(), &name, "measure")
	command.Flags().StringVarP(&output, "output", "o", "table", "What to print: table or json.")
	return command
}
