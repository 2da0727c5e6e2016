package enqueueakey

import (
	"context"
	"errors"

	"example.com/twinloop/labs/lab"
)

var errAway = errors.New("the API server was away for a moment")

func busyWorker(ctx context.Context, bench *lab.Bench, c *controllers) error {
	bench.Say("Five versions of one object pass, before a worker takes anything.")
	if err := c.pass(ctx); err != nil {
		return err
	}
	requests := c.server.requests.Load()
	byObject, byKey, err := c.reconcile(ctx, nil)
	if err != nil {
		return err
	}
	show(bench, byObject, byKey)
	bench.Measure("object-reconciles", len(byObject))
	bench.Measure("object-first-version", byObject[0])
	bench.Measure("object-stale", byObject.count(func(version int) bool { return version != versions }))
	bench.Measure("key-reconciles", len(byKey))
	bench.Measure("key-first-version", byKey[0])
	bench.Measure("key-unseen", versions-len(byKey))
	bench.Measure("key-requests", int(c.server.requests.Load()-requests))
	return nil
}

// secondWorker asks for another item of the object while one is out.
func secondWorker(ctx context.Context, bench *lab.Bench, c *controllers) error {
	bench.Say("\nA worker has taken version 1 and is not done with it, when version 2 comes.")
	c.server.Add(configMap())
	if err := c.enqueued(ctx, 1); err != nil {
		return err
	}
	take(c.objects)
	key, _ := take(c.keys)
	c.server.Modify(configMap())
	if err := c.enqueued(ctx, 1); err != nil {
		return err
	}
	object, another := take(c.objects)
	_, sameKey := take(c.keys)
	c.keys.Done(key)
	_, afterDone := take(c.keys)
	bench.Say("  objects: a second worker gets something: %t; it is version %d", another, version(object))
	bench.Say("  keys:    a second worker gets something: %t; once the first is done: %t", sameKey, afterDone)
	bench.Measure("object-second-worker", another)
	bench.Measure("key-second-worker", sameKey)
	bench.Measure("key-after-done", afterDone)
	return nil
}

func failedAttempt(ctx context.Context, bench *lab.Bench, c *controllers) error {
	bench.Say("\nFive versions pass, and the first attempt of each worker fails.")
	if err := c.pass(ctx); err != nil {
		return err
	}
	byObject, byKey, err := c.reconcile(ctx, errAway)
	if err != nil {
		return err
	}
	show(bench, byObject, byKey)
	bench.Measure("object-attempts", len(byObject))
	bench.Measure("object-left-at", byObject.last())
	bench.Measure("key-attempts", len(byKey))
	bench.Measure("key-left-at", byKey.last())
	return nil
}

func deletion(ctx context.Context, bench *lab.Bench, c *controllers) error {
	bench.Say("\nFive versions pass, the object is deleted, and then the workers begin.")
	if err := c.pass(ctx); err != nil {
		return err
	}
	c.server.Delete(configMap())
	if err := c.enqueued(ctx, versions+1); err != nil {
		return err
	}
	byObject, byKey, err := c.reconcile(ctx, nil)
	if err != nil {
		return err
	}
	show(bench, byObject, byKey)
	bench.Measure("object-after-delete", byObject.count(exists))
	bench.Measure("key-after-delete", byKey.count(exists))
	bench.Measure("key-reconciles-after-delete", len(byKey))
	return nil
}

func exists(version int) bool { return version != gone }

func show(bench *lab.Bench, byObject, byKey attempts) {
	bench.Say("  objects: the worker acts on %s", byObject)
	bench.Say("  keys:    the worker acts on %s", byKey)
}
