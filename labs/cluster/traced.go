package cluster

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/process"
)

// Traced is a process of the hand-wired operator whose work can be followed by what it logs.
type Traced struct {
	*process.Process
	Log *Log

	cluster *Cluster
	since   int // how many watch events had passed before it was started
}

// StartTraced starts a process of the hand-wired operator, by way of the proxy.
func (o *Operator) StartTraced(args ...string) (*Traced, error) {
	t := &Traced{Log: newLog(), cluster: o.cluster, since: len(o.cluster.Proxy.WatchEvents())}
	var err error
	if t.Process, err = o.Start(t.Log, append(args, "-v=4")...); err != nil {
		return nil, err
	}
	o.cluster.stops = append(o.cluster.stops, t.Kill)
	return t, nil
}

// Kill kills the process, and ends its watches.
func (t *Traced) Kill() {
	t.Process.Kill()
	t.cluster.Proxy.Thaw()
}

// Rest waits until the operator has nothing left to do: every version of every object that it watches was passed on to it,
// its handlers are done with it, no key waits and no worker works. Nor has the simulated kubelet, if there is one, a pod that is not
// Ready yet or not gone yet.
//
// It is not enough to see the operator idle: what it wrote last may be on its way back to it. So what it was told is held
// against what there is, read after it was seen idle.
func (t *Traced) Rest(ctx context.Context) error {
	return await(ctx, "the operator to come to rest", func() (bool, error) {
		lines := t.Log.Lines()
		told, handled := versionsTold(t.cluster.Proxy.WatchEvents()[t.since:], lines)
		if !handled || !idle(lines) {
			return false, nil
		}
		there, steady, err := t.cluster.versions(ctx)
		return steady && maps.Equal(told, there), err
	}, t.cluster.Proxy.Changes, t.Log.changed.rung)
}

// versionsTold are the versions of the objects that watch events told of last, and whether the handlers are done with all.
func versionsTold(events []proxy.WatchEvent, lines []Line) (versions map[string]string, handled bool) {
	seen := sets.New[string]()
	for _, line := range lines {
		if line.Stage == Handled {
			seen.Insert(line.ResourceVersion)
		}
	}
	versions, handled = map[string]string{}, true
	for _, e := range events {
		switch e.Type {
		case watch.Added, watch.Modified:
			versions[e.Kind+" "+e.Name] = e.ResourceVersion
		case watch.Deleted:
			delete(versions, e.Kind+" "+e.Name)
		default:
			continue
		}
		handled = handled && seen.Has(e.ResourceVersion)
	}
	return versions, handled
}

// idle tells whether every key that was enqueued was taken since, and whether whoever took one is done with it.
func idle(lines []Line) bool {
	waiting, working := sets.New[string](), map[string]int{}
	for _, line := range lines {
		switch line.Stage {
		case Enqueued:
			waiting.Insert(line.Fleet)
		case Reconciling:
			waiting.Delete(line.Fleet)
			working[line.Fleet]++
		case Reconciled:
			working[line.Fleet]--
		}
	}
	for _, workers := range working {
		if workers > 0 {
			return false
		}
	}
	return waiting.Len() == 0
}

// versions are those of the objects that there are, and whether nobody but the operator is about to change one.
func (c *Cluster) versions(ctx context.Context) (versions map[string]string, steady bool, err error) {
	fleets, err := c.Fleets.FleetV1alpha1().Fleets(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, false, err
	}
	revisions, err := c.Kube.AppsV1().ControllerRevisions(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, false, err
	}
	pods, err := c.Kube.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, false, err
	}
	versions, steady = map[string]string{}, true
	for _, f := range fleets.Items {
		versions["Fleet "+f.Name] = f.ResourceVersion
	}
	for _, revision := range revisions.Items {
		versions["ControllerRevision "+revision.Name] = revision.ResourceVersion
	}
	for _, pod := range pods.Items {
		versions["Pod "+pod.Name] = pod.ResourceVersion
		steady = steady && (c.Kubelet == nil || ready(&pod) && pod.DeletionTimestamp == nil)
	}
	return versions, steady, nil
}

func ready(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
