package drill

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// longestSilence is how long an operator that was started is waited for until it has sent the API server its first request.
const longestSilence = 5 * time.Second

// hear waits until the operator has sent the API server a request, has ended, or has had time enough to. A scenario whose conditions
// hold without the operator is over before it has started.
func (l *lane) hear(ctx context.Context) {
	for _, r := range l.replicas {
		long := time.NewTimer(time.Until(r.lastStarted().Add(longestSilence)))
		defer long.Stop()
		for {
			changed := r.proxy.Changes()
			if len(r.proxy.Exchanges()) > 0 {
				break
			}
			select {
			case <-changed:
				continue
			case <-r.exited():
			case <-long.C:
			case <-ctx.Done():
			}
			break
		}
	}
}

// asked reports whether there was anything for the operator to do: a step, of a scenario that can be run.
func (r *Recording) asked() bool { return r.Broken == nil && (len(r.Steps) > 0 || r.Failure != nil) }

// checkReached reports an operator that never sent the API server a request: whatever became of the run, it did not do it. One that
// ended by itself is told by its end.
func checkReached(run *Recording) error {
	if len(run.Exchanges) > 0 || !run.asked() || errors.Is(run.Failure, errEnded) {
		return nil
	}
	return fmt.Errorf("the operator sent the API server no request: name {{kubeconfig}} in operator.command or operator.env in the way "+
		"that the operator is told its kubeconfig\n%s", lastWords(run.Log))
}
