// Command twinloop runs the project's parts from a terminal: clusters, zones, drills and labs.
//
// Exit status: 0 if all is well, 1 if a command found what it looks for (a drill that failed), 2 if it was used wrongly
// or cannot run, 130 if it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs"
	minictl "example.com/twinloop/labs/minictl/command"
)

const (
	exitFinding     = 1
	exitCannotRun   = 2
	exitInterrupted = 128 + int(syscall.SIGINT)
)

// A finding is an error that is a command's answer, not its failure.
type finding struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for the first to be obeyed
	err := newCommand().ExecuteContext(ctx)
	interrupted := ctx.Err() != nil
	stop()
	os.Exit(report(err, interrupted))
}

// report prints an error in one line, and is the exit status it means.
func report(err error, interrupted bool) int {
	var found finding
	switch {
	case err == nil:
		return 0
	case interrupted:
		fmt.Fprintln(os.Stderr, "interrupted")
		return exitInterrupted
	case errors.As(err, &found):
		fmt.Fprintln(os.Stderr, err)
		return exitFinding
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitCannotRun
	}
}

func newCommand() *cobra.Command {
	root := newGroup("twinloop", "An operator written twice, and the means to run it, watch it and break it")
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(
		newBenchCommand(),
		newCiteCommand(),
		newClusterCommand(),
		newDiffCommand(),
		newDrillCommand(),
		newLabCommand(labs.All),
		minictl.New(),
		newZoneCommand(),
	)
	return root
}

// newGroup is a command that only holds others. Without one it prints its help, and an unknown one is an error.
func newGroup(use, short string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

// version is the module's, as the go command recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
