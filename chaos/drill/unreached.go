package drill

import (
	"errors"
	"fmt"
)

// asked reports whether there was anything for the operator to do: a step, of a scenario that can be run.
func (r *Recording) asked() bool {
	return r.Broken == nil && (len(r.Steps) > 0 || r.Failure != nil || r.NotJudged != "")
}

// checkReached reports an operator that never sent the API server a request: whatever became of the run, it did not do it. One that
// ended by itself is told by its end.
func checkReached(run *Recording) error {
	if len(run.Exchanges) > 0 || !run.asked() || errors.Is(run.Failure, errEnded) {
		return nil
	}
	return fmt.Errorf("the operator sent the API server no request: name {{kubeconfig}} in operator.command or operator.env in the way "+
		"that the operator is told its kubeconfig\n%s", lastWords(run.Log))
}
