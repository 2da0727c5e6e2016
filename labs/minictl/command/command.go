// Package command is the command line of minictl.
package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

// New makes the minictl command. All its errors are of use or input.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:   "minictl",
		Short: "Kubernetes' controllers from scratch, on a virtual clock",
		Long: `Kubernetes' controllers from scratch, on a virtual clock.

An API store, informers, a work queue, the ReplicaSet and the Deployment controller, the garbage collector and a
kubelet, all in memory. A scenario prints what they do, tick by tick, and prints the same every time.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(newListCommand(), newRunCommand(), newSelectCommand())
	return root
}
