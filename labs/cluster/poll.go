package cluster

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Await waits until something holds that nobody tells of. What it is called is for the error that says that it did not.
func Await(ctx context.Context, what string, holds func() bool) error {
	err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, patience, true,
		func(context.Context) (bool, error) { return holds(), nil })
	if err != nil {
		return fmt.Errorf("waiting until %s: %w", what, err)
	}
	return nil
}
