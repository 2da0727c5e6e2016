package process

import (
	"context"
	"os/exec"
)

// Run runs cmd to its end, and says how it ended as exec.Cmd.Wait does; or kills it with all that it has started if ctx
// ends first, and returns why that did.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	child, err := Start(cmd)
	if err != nil {
		return err
	}
	select {
	case <-child.Exited():
		return child.Err()
	case <-ctx.Done():
		child.Kill()
		return context.Cause(ctx)
	}
}
