package command

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/minictl"
)

func newSelectCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "select SELECTOR",
		Short: "Print the names of the objects that a label selector matches",
		Long: `Print the names of the objects that a label selector matches. The objects are JSON as of 'kubectl get -o json': a
list or a single one.`,
		Example: `  # What kubectl get pods -l would answer
  kubectl get pods -o json | minictl select 'app in (web,db),!canary'

  # From a file
  minictl select 'app=web,env!=prod' --file pods.json`,
		Args: exactlyOne("selector"),
		RunE: func(cmd *cobra.Command, args []string) error {
			selector, err := minictl.ParseSelector(args[0])
			if err != nil {
				return err
			}
			content, err := read(cmd.InOrStdin(), path)
			if err != nil {
				return fmt.Errorf("--file: %w", err)
			}
			names, err := minictl.Select(content, selector)
			if err != nil {
				return fmt.Errorf("--file %s: %w", path, err)
			}
			for _, name := range names {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&path, "file", "-", "JSON to read; - is the standard input")
	return cmd
}

func read(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}
