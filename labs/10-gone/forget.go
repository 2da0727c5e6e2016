package gone

import (
	"context"

	"example.com/twinloop/labs/cluster"
)

// numbers holds the two names of a version against each other.
func (e *experiment) numbers(ctx context.Context) error {
	pod, _, err := e.informer.GetStore().GetByKey(cluster.Namespace + "/" + kept)
	if err != nil {
		return err
	}
	revision, err := e.etcd.modRevision(ctx, keyOf(kept), "0")
	if err != nil {
		return err
	}
	version := resourceVersion(pod)
	e.Say("The pod %s has resourceVersion %s; its key in etcd has mod_revision %s.", kept, version, revision)
	e.Measure("version-is-revision", version == revision)
	return nil
}

// etcdForgets has etcd compacted while the informers are cut off. The API server goes on as it was.
func (e *experiment) etcdForgets(ctx context.Context) error {
	e.Say("\nThe informers are cut off, a pod is deleted, etcd is compacted. Asked about the version before:")
	before, err := e.cutOff(ctx)
	if err != nil {
		return err
	}
	if err := e.happen(ctx); err != nil {
		return err
	}
	if err := e.cluster.Do(ctx, cluster.Delete(early)); err != nil {
		return err
	}
	if err := e.compact(ctx); err != nil {
		return err
	}
	e.ask(ctx, "compaction", before)
	if err := e.letBack(ctx, "delete", early, first); err != nil {
		return err
	}
	e.Say("\nThe informer is let back:")
	record := e.informer.Record()
	e.show(record)
	e.Measure("compaction-relists", relists(record)+relists(e.lister.Record()))
	return nil
}

// cacheForgets has the API server started again while the informers are cut off, and then etcd compacted as well.
func (e *experiment) cacheForgets(ctx context.Context) error {
	e.Say("\nThe informers are cut off, pods come, change and go, the API server is killed and started again. " +
		"Asked about the version before:")
	before, err := e.cutOff(ctx)
	if err != nil {
		return err
	}
	if err := e.happen(ctx); err != nil {
		return err
	}
	err = e.cluster.Do(ctx, cluster.Label(changed, "v2"), cluster.Label(changed, "v3"), cluster.Label(changed, "v4"),
		cluster.Delete(late), cluster.Create(brief, fresh), cluster.Delete(brief))
	if err != nil {
		return err
	}
	if err := e.cluster.RestartAPIServer(ctx); err != nil {
		return err
	}
	e.ask(ctx, "restart", before)
	e.Say("\nAnd then etcd is compacted. Asked about the same version:")
	if err := e.compact(ctx); err != nil {
		return err
	}
	e.ask(ctx, "both", before)
	for _, name := range []string{"etcd", "uncached-watch", "watch"} {
		e.Measure(name+"-says", words(e.told[name]))
	}
	if err := e.letBack(ctx, "tombstone", late, second); err != nil {
		return err
	}
	return e.measureReturn(ctx, before)
}
