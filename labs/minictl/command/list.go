package command

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/minictl"
)

func newListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the scenarios",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
			for _, scenario := range minictl.Scenarios() {
				fmt.Fprintf(table, "%s\t%s\n", scenario.Name, scenario.Short)
			}
			return table.Flush()
		},
	}
}
