package suite

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/twinloop/shared/api/generated/clientset/versioned"
	fleetclient "example.com/twinloop/shared/api/generated/clientset/versioned/typed/fleet/v1alpha1"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process"
)

// stopGrace is how long an operator may take to end when it is asked to. It has nothing to wait for but its writes.
const stopGrace = 20 * time.Second

// A world is one test's corner: a namespace, a record of what happens in it, the operator that works there, and a DNS
// server if the test asks for one.
type world struct {
	*testing.T
	subject   subject
	namespace string
	kube      kubernetes.Interface
	fleets    fleetclient.FleetInterface
	record    *record
	dns       *nameServer
	// launched are all replicas of the operator so far, running those that the test expects to run.
	launched, running []*replica
}

// A replica is one process of the operator.
type replica struct {
	*process.Process
	log *processLog
}

// enter makes a world and launches the operator in it.
func enter(t *testing.T, s subject) *world {
	w := emptyWorld(t, s)
	w.launch()
	return w
}

// emptyWorld makes a world without an operator.
func emptyWorld(t *testing.T, s subject) *world {
	t.Helper()
	kube, fleets := clients(t)
	namespace, err := kube.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "suite-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T:         t,
		subject:   s,
		namespace: namespace.Name,
		kube:      kube,
		fleets:    fleets.FleetV1alpha1().Fleets(namespace.Name),
		record:    &record{now: emptyState(), changed: newBell()},
	}
	w.observe(namespace.ResourceVersion)
	t.Cleanup(w.stopOperators)
	t.Cleanup(w.report)
	if err := s.identity.Bind(t.Context(), kube, w.namespace); err != nil {
		t.Fatal(err)
	}
	return w
}

// clients are the administrator's, under the suite's own name in managed fields.
func clients(t *testing.T) (kubernetes.Interface, versioned.Interface) {
	t.Helper()
	config := rest.CopyConfig(cp.AdminConfig())
	config.UserAgent = "suite"
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return kube, fleets
}

// observe records what happens in the namespace from a resource version on.
func (w *world) observe(version string) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	var following sync.WaitGroup
	w.Cleanup(func() {
		cancel()
		following.Wait()
	})
	for _, open := range []func(context.Context, metav1.ListOptions) (watch.Interface, error){
		w.fleets.Watch,
		w.kube.CoreV1().Pods(w.namespace).Watch,
		w.kube.AppsV1().ControllerRevisions(w.namespace).Watch,
		w.kube.EventsV1().Events(w.namespace).Watch,
		w.kube.CoordinationV1().Leases(w.namespace).Watch,
		w.kube.CoreV1().ResourceQuotas(w.namespace).Watch,
	} {
		stream, err := open(ctx, metav1.ListOptions{ResourceVersion: version})
		if err != nil {
			w.Fatal(err)
		}
		following.Go(func() { w.record.follow(ctx, w.T, stream) })
	}
}

// launch starts a replica of the operator, with the flags of the world and the arguments.
func (w *world) launch(args ...string) *replica {
	w.Helper()
	log := &processLog{changed: w.record.changed}
	l := operator.Launch{
		Binary:     w.subject.binary,
		Kubeconfig: w.subject.kubeconfig,
		Namespace:  w.namespace,
		Args:       args,
		Log:        log,
	}
	if w.dns != nil {
		l.DNSServer, l.DNSKeyFile = w.dns.Addr(), w.dns.keyFile
	}
	started, err := l.Start()
	if err != nil {
		w.Fatal(err)
	}
	r := &replica{started, log}
	w.launched = append(w.launched, r)
	w.running = append(w.running, r)
	return r
}

// restart ends the operator and launches it anew.
func (w *world) restart() {
	w.Helper()
	w.stopOperators()
	w.launch()
}

// stopOperators asks all replicas to end, and sees how they did.
func (w *world) stopOperators() {
	w.Helper()
	for _, r := range w.running {
		r.Stop(stopGrace)
		if r.Err() != nil {
			w.Errorf("the operator ended with %v; its last words:\n%s", r.Err(), r.log.tail())
		}
		r.log.check(w.T)
	}
	w.running = nil
}

// awaitExit waits for a replica to end by itself, or of a signal that it was sent, and returns its exit status.
func (w *world) awaitExit(r *replica) int {
	w.Helper()
	select {
	case <-r.Exited():
	case <-time.After(patience):
		w.Fatalf("the operator still runs after %s; its last words:\n%s", patience, r.log.tail())
	}
	r.log.check(w.T)
	w.running = slices.DeleteFunc(w.running, func(other *replica) bool { return other == r })
	return exitStatus(r.Err())
}

func exitStatus(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return 0
}

// report shows a failed test's world.
func (w *world) report() {
	if !w.Failed() {
		return
	}
	for i, r := range w.launched {
		w.Logf("the log of operator %d:\n%s", i+1, r.log.tail())
	}
	_ = w.record.judge(func(now state) error {
		w.Log("what was there:\n" + now.describe())
		return nil
	}, w.zones())
}

// died is the first replica that has ended unasked.
func (w *world) died() error {
	for _, r := range w.running {
		select {
		case <-r.Exited():
			return fmt.Errorf("the operator ended: %v; its last words:\n%s", r.Err(), r.log.tail())
		default:
		}
	}
	return nil
}
