package retrygaps

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"example.com/twinloop/labs/lab"
)

const manyKeys = 200

// bucket asks client-go's default limiter how long each of many keys waits that fail at once. The bucket's time is real, so that
// what passes between the first key and the last is rounded away.
func bucket(_ context.Context, bench *lab.Bench) error {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	alone := newLimiter().When(key)
	bench.Say("\n%d keys fail once, all at the same time. The exponential limiter alone says %s for each.", manyKeys, alone)
	bench.Say("With the bucket of 100 tokens, and 10 more a second, the longer wait counts:")
	for n := 1; n <= manyKeys; n++ {
		wait := limiter.When(nameOfKey(n))
		switch n {
		case 1, 100, 101, 200:
			wait = wait.Round(5 * time.Millisecond)
			bench.Say("  key %d: %s", n, wait)
			bench.Measure(fmt.Sprintf("delay-key-%d", n), wait)
		}
	}
	return nil
}

func nameOfKey(n int) string { return fmt.Sprintf("web-%d", n) }

// priorityQueue fails as many keys in the queue and with the limiter that controller-runtime's controllers have by default.
func priorityQueue(ctx context.Context, bench *lab.Bench) error {
	q := priorityqueue.New[string]("")
	defer q.ShutDown()
	began := time.Now()
	for n := 1; n <= manyKeys; n++ {
		q.AddRateLimited(nameOfKey(n))
	}
	for range manyKeys {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		got, _ := q.Get()
		q.Done(got)
	}
	took := time.Since(began)
	bench.Say("\nThe same keys in controller-runtime's priority queue: the last is handed out after %s",
		took.Round(100*time.Microsecond))
	if took < time.Second {
		bench.Measure("priority-queue-200-keys", withinASecond)
	} else {
		bench.Measure("priority-queue-200-keys", afterSeconds)
	}
	return nil
}
