package gone

import (
	"context"
	"errors"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// The pods, by what becomes of them.
const (
	kept    = "kept"
	changed = "changed" // three times, before the informers are back
	early   = "early"   // deleted before the compaction
	late    = "late"    // deleted before the restart
	brief   = "brief"   // created and deleted before the restart
	fresh   = "fresh"   // created before the restart
	// Created when the informers are back, the first time and the second.
	first, second = "first", "second"
)

// experiment has an informer as informers are, and beside it one that begins with a LIST.
type experiment struct {
	*lab.Bench
	cluster          *cluster.Cluster
	etcd             etcd
	informer, lister *cluster.Informer
	told             map[string]error // what the readers were told last, by their names
}

func newExperiment(c *cluster.Cluster, bench *lab.Bench) (*experiment, error) {
	e := &experiment{Bench: bench, cluster: c, etcd: newEtcd(c.EtcdURL), told: map[string]error{}}
	var err error
	if e.informer, err = c.NewInformer(cluster.WatchList); err != nil {
		return nil, err
	}
	e.lister, err = c.NewInformer(cluster.ListThenWatch)
	return e, err
}

// start returns when the watches have brought something. One that ends within a second and never did is taken for a failure
// by reflectors, which then relist without more ado.
func (e *experiment) start(ctx context.Context) error {
	if err := errors.Join(e.informer.Start(ctx), e.lister.Start(ctx)); err != nil {
		return err
	}
	if err := e.cluster.Do(ctx, cluster.Create(early)); err != nil {
		return err
	}
	return e.await(ctx, "add", early)
}

func (e *experiment) stop() {
	e.informer.Stop()
	e.lister.Stop()
	e.etcd.close()
}

// cutOff cuts the informers off from the API server, and is the time when that happened.
func (e *experiment) cutOff(ctx context.Context) (past, error) {
	e.cluster.Proxy.Partition(proxy.All)
	page, err := e.cluster.Kube.CoreV1().Pods(cluster.Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return past{}, err
	}
	return past{
		page.ResourceVersion, page.Continue, e.informer.LastSyncResourceVersion(), e.lister.LastSyncResourceVersion(),
	}, nil
}

// letBack lets the informers back, on new connections, and waits until they have told this of a pod, and of another that is
// created then: before that they have told all that there was. What they did is in their records.
func (e *experiment) letBack(ctx context.Context, what, pod, then string) error {
	e.informer.ClearRecord()
	e.lister.ClearRecord()
	e.cluster.Proxy.Mark(then)
	e.cluster.Proxy.Thaw()
	e.cluster.Proxy.Heal()
	if err := e.await(ctx, what, pod); err != nil {
		return err
	}
	if err := e.cluster.Do(ctx, cluster.Create(then)); err != nil {
		return err
	}
	return e.await(ctx, "add", then)
}

func (e *experiment) await(ctx context.Context, what, pod string) error {
	return errors.Join(e.informer.Await(ctx, what, pod), e.lister.Await(ctx, what, pod))
}

// compact has etcd forget all that is not the newest.
func (e *experiment) compact(ctx context.Context) error {
	version, err := e.cluster.Latest(ctx)
	if err != nil {
		return err
	}
	return e.etcd.compact(ctx, version)
}

// patience is how long the answers of all readers may take. A watch that has nothing to bring has none.
const patience = 30 * time.Second

// ask has everyone asked about a past, and measures what came of it.
func (e *experiment) ask(ctx context.Context, when string, p past) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, r := range readers(e.cluster.Kube, e.etcd) {
		err := r.ask(ctx, p)
		e.told[r.name] = err
		e.Measure(when+"-"+r.name, outcome(err))
		if err == nil {
			e.Say("  %-15s %s", r.name, answered)
		} else {
			message, _, _ := strings.Cut(err.Error(), ". ") // that of a next page goes on for a paragraph
			e.Say("  %-15s %s", r.name, message)
		}
	}
}

func (e *experiment) show(record cluster.Record) {
	for _, entry := range record {
		e.Say("  %s", entry)
	}
}
