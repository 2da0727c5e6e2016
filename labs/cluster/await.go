package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// patience is how long something is waited for that takes no more than a few seconds.
const patience = time.Minute

// changes are what is closed when something changes next. They are taken before that is looked at.
type changes func() <-chan struct{}

// await waits until a condition, which is looked at again at every change of either kind, holds. The error says what was
// waited for.
func await(ctx context.Context, what string, holds func() (bool, error), a, b changes) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not so within %s", patience))
	defer cancel()
	for {
		aChanged, bChanged := a(), b()
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-aChanged:
		case <-bChanged:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		}
	}
}

// never is a change that does not come.
func never() <-chan struct{} { return nil }

// A bell is rung at every change of something.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

func newBell() *bell { return &bell{next: make(chan struct{})} }

// rung is closed when the bell is rung next.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}
