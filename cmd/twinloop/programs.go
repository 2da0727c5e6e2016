package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/twinloop/shared/controlplane/programs"
)

// newBuildCommand builds ahead of time what every cluster, test and drill needs.
func newBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the control plane's programs, if they are not there, and print their folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := programs.Ensure(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), filepath.Dir(set.Path("kube-apiserver")))
			return err
		},
	}
}

func newKubectlCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl",
		Short: "Print the path of the kubectl that is built with the control plane",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := programs.Ensure(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), set.Path("kubectl"))
			return err
		},
	}
}
