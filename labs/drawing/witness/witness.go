// Package witness lets a controller work on an API server that is not there, with client-go's own shared informer, workqueue
// and lister, and keeps the call stack at every point where client-go calls out.
package witness

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// patience is how long the indexer may take to be updated while a handler is held up.
const patience = 5 * time.Second

// Watch has a controller see the ConfigMap web come, marks it, and sees it go. Between that two others come while its handler
// is held up.
func Watch(ctx context.Context) (Testimony, error) {
	m, err := newMachine()
	if err != nil {
		return Testimony{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer m.queue.ShutDown()
	defer stop()
	running.Go(func() { m.informer.RunWithContext(ctx) })
	if !cache.WaitFor(ctx, "", m.informer.HasSyncedChecker()) {
		return Testimony{}, ctx.Err()
	}
	running.Go(m.work)

	m.source.tell(watch.Added, configMap(web))
	if err := m.awaitReconciles(ctx, 2); err != nil {
		return Testimony{}, err
	}
	marked := m.testimonyNow()
	if err := m.holdHandler(ctx); err != nil {
		return Testimony{}, err
	}
	m.source.tell(watch.Deleted, configMap(web))
	if err := m.awaitReconciles(ctx, 1); err != nil {
		return Testimony{}, err
	}
	t := m.testimonyNow()
	t.Store = typeName(m.informer.GetStore())
	t.Events, t.Reconciles, t.Writes = marked.Events, marked.Reconciles, marked.Writes
	return t, nil
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// holdHandler adds two objects while the handler cannot return from the first.
func (m *machine) holdHandler(ctx context.Context) error {
	m.handling <- struct{}{}
	m.source.tell(watch.Added, configMap("first"))
	m.source.tell(watch.Added, configMap("second"))
	stored := func(context.Context) (bool, error) { return m.knows(configMap("second")), nil }
	err := wait.PollUntilContextTimeout(ctx, time.Millisecond, patience, true, stored)
	<-m.handling
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.note(func(t *Testimony) { t.StoredMeanwhile = err == nil })
	return m.awaitReconciles(ctx, 2)
}

func (m *machine) awaitReconciles(ctx context.Context, times int) error {
	for range times {
		select {
		case <-m.reconciled:
		case <-ctx.Done():
			return fmt.Errorf("waiting for a reconcile: %w", ctx.Err())
		}
	}
	return nil
}

func (m *machine) testimonyNow() Testimony {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.testimony
}
