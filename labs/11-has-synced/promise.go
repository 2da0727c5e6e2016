package hassynced

import (
	"context"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// promise starts the informer, with a handler that is slow and one that enqueues keys. The last ConfigMap is held at first, and
// with it the bookmark, which overtakes nothing.
func promise(ctx context.Context, bench *lab.Bench, s *settings) error {
	queue := workqueue.NewTyped[cache.ObjectName]()
	defer queue.ShutDown()
	slow := newGated(s.informer.GetStore())
	defer slow.open()
	ofSlow, err := s.informer.AddEventHandler(slow)
	if err != nil {
		return err
	}
	ofQuick, err := s.informer.AddEventHandler(enqueue(queue))
	if err != nil {
		return err
	}
	last := proxy.Watched{Resource: configMaps.Resource, Name: nameOf(first)}
	s.Proxy.Hold(last)
	s.start(ctx)
	if err := cluster.Await(ctx, "nine ConfigMaps are read", func() bool { return s.read.Load() == first-1 }); err != nil {
		return err
	}
	bench.Say("\nThe first watch has brought %d of %d ConfigMaps. One is held, and the bookmark behind it:", s.read.Load(), first)
	bench.Say("  in the store: %d; HasSynced: %t", s.cached(), s.informer.HasSynced())
	bench.Measure("read-before-bookmark", int(s.read.Load()))
	bench.Measure("store-before-bookmark", s.cached())
	bench.Measure("synced-before-bookmark", s.informer.HasSynced())

	s.Proxy.Release(last)
	if !cache.WaitFor(ctx, "", s.informer.HasSyncedChecker(), ofQuick.HasSyncedChecker()) {
		return ctx.Err()
	}
	atFirst := <-slow.entered
	version, err := s.version()
	if err != nil {
		return err
	}
	bench.Say("Both pass. A slow handler is in its first OnAdd, and finds %d in the store; a quick one enqueues keys:", atFirst)
	bench.Say("  HasSynced of the informer: %t; of the slow handler: %t; of the quick one: %t, and %d keys wait",
		s.informer.HasSynced(), ofSlow.HasSynced(), ofQuick.HasSynced(), queue.Len())
	bench.Say("  the store's version, compared with the last write before the start: %s", version)
	bench.Measure("store-at-first-add", atFirst)
	bench.Measure("synced-slow-handler", s.informer.HasSynced())
	bench.Measure("registration-slow-handler", ofSlow.HasSynced())
	bench.Measure("registration-quick-handler", ofQuick.HasSynced())
	bench.Measure("keys-when-handled", queue.Len())
	bench.Measure("version-when-synced", version)

	slow.open()
	if !cache.WaitFor(ctx, "", ofSlow.HasSyncedChecker()) {
		return ctx.Err()
	}
	bench.Say("  the slow handler is let go: its registration has synced after %d OnAdds", slow.handled.Load())
	bench.Measure("handled-when-registration-synced", int(slow.handled.Load()))
	return nil
}

// lateHandler adds a handler to the informer that has synced.
func lateHandler(ctx context.Context, bench *lab.Bench, s *settings) error {
	late := newGated(s.informer.GetStore())
	defer late.open()
	registration, err := s.informer.AddEventHandler(late)
	if err != nil {
		return err
	}
	select {
	case <-late.entered:
	case <-ctx.Done():
		return ctx.Err()
	}
	bench.Say("A handler is added now, and is in its first OnAdd: HasSynced of the informer: %t; of the handler: %t",
		s.informer.HasSynced(), registration.HasSynced())
	bench.Measure("synced-late-handler", s.informer.HasSynced())
	bench.Measure("registration-late-handler", registration.HasSynced())
	late.open()
	if !cache.WaitFor(ctx, "", registration.HasSyncedChecker()) {
		return ctx.Err()
	}
	bench.Measure("late-handler-adds", int(late.handled.Load()))
	return nil
}
