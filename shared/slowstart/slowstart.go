// Package slowstart asks for many things at once, and stops early where the first few are refused.
package slowstart

import "sync"

// Create calls create n times in batches of 1, 2, 4 and so on, each batch at once, and stops after a batch with a
// failure: what is refused once is not asked for a thousand times. It returns the number of successes and the first
// failure. As k8s.io/kubernetes@v1.37.2/pkg/controller/replicaset/replica_set.go:887#slowStartBatch.
func Create(n int, create func() error) (int, error) {
	successes := 0
	for size := 1; n > 0; size *= 2 {
		batch := min(size, n)
		created, err := Together(batch, func(int) error { return create() })
		successes += created
		if err != nil {
			return successes, err
		}
		n -= batch
	}
	return successes, nil
}

// Together calls do for 0 to n-1, all at once, and returns the number of successes and one failure.
func Together(n int, do func(int) error) (int, error) {
	failures := make([]error, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() { failures[i] = do(i) })
	}
	calls.Wait()
	successes, failure := 0, error(nil)
	for _, err := range failures {
		if err == nil {
			successes++
		} else if failure == nil {
			failure = err
		}
	}
	return successes, failure
}
