package suite

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// Of several replicas with --leader-elect one works, and what it has begun is finished before another does.

// elected are the flags of a replica that tries for the Lease often, and does not lose it in a slow moment.
var elected = []string{
	"--leader-elect",
	"--leader-elect-lease-duration=60s",
	"--leader-elect-renew-deadline=45s",
	"--leader-elect-retry-period=200ms",
}

func TestOneReplicaWorks(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		leader := w.launch(elected...)
		w.eventually(leased)
		first := w.holder()
		probes := freePort(t)
		w.launch(append(elected, "--health-probe-bind-address="+probes)...)
		w.awaitOK(probes, "/readyz")

		w.create(fleet("web", replicas(10)))
		w.eventually(settled("web"))
		w.change("web", replicas(5))
		w.eventually(settled("web"))
		w.now(leasedBy(first))

		leader.Signal(syscall.SIGTERM)
		if status := w.awaitExit(leader); status != 0 {
			t.Errorf("the leader ended with exit status %d", status)
		}
		w.change("web", image("web:2.0"))
		w.eventually(settled("web"), leased)
		if w.holder() == first {
			t.Errorf("%s still holds the Lease", first)
		}
		if n := w.everCreated("web", hasImage("web:1.0")); n != 10 {
			t.Errorf("%d pods were created for 10: the standby worked too", n)
		}
	})
}

// A leader that is asked to end finishes what it is about before it releases the Lease.
func TestHandoverAfterWork(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		g := w.guard()
		creation := g.hold(createPods)
		leader := w.launch(elected...)
		w.eventually(leased)
		first := w.holder()
		w.launch(elected...)
		w.create(fleet("web"))
		w.awaitHold(creation)

		leader.Signal(syscall.SIGTERM)
		w.renewed(first)
		w.renewed(first)
		creation.release()
		if status := w.awaitExit(leader); status != 0 {
			t.Errorf("the leader ended with exit status %d", status)
		}
		w.eventually(settled("web"), leased)
		if n := w.everCreated("web"); n != 1 {
			t.Errorf("%d pods were created for 1", n)
		}
		w.createdWhileLed("web", first)
	})
}

// renewed waits until a holder has renewed its Lease once more.
func (w *world) renewed(holder string) {
	w.Helper()
	before := w.lease()
	w.eventually(leasedBy(holder), func(now state) error {
		for _, lease := range now.leases {
			if lease.Spec.RenewTime.Equal(before.Spec.RenewTime) {
				return fmt.Errorf("%s has not renewed since %s", holder, before.Spec.RenewTime)
			}
		}
		return nil
	})
}

// createdWhileLed fails the test if a pod was created when a replica no longer held the Lease.
func (w *world) createdWhileLed(name, holder string) {
	w.Helper()
	w.record.replay(func(before state, c change) {
		if _, isPod := podIn(c); isPod && c.event == watch.Added && leasedBy(holder)(before) != nil {
			w.Errorf("%s, when the Lease was another's: %v", c, leasedBy(holder)(before))
		}
	})
}

// A leader that has lost its Lease may not write another word, and ends.
func TestLostLeaseEndsProcess(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		leader := w.launch(append(elected, "--leader-elect-renew-deadline=5s")...)
		w.eventually(leased)
		w.create(fleet("web"))
		w.eventually(settled("web"))
		w.usurp()
		if status := w.awaitExit(leader); status != 1 {
			t.Errorf("the leader ended with exit status %d, not 1", status)
		}
		w.now(leasedBy(usurper))
	})
}

const usurper = "somebody-else"

// usurp makes somebody else the holder of the Lease, for an hour.
func (w *world) usurp() {
	w.Helper()
	err := retry.RetryOnConflict(persistent, func() error {
		leases := w.kube.CoordinationV1().Leases(w.namespace)
		lease, err := leases.Get(w.Context(), w.lease().Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		lease.Spec.HolderIdentity = ptr.To(usurper)
		lease.Spec.LeaseDurationSeconds = ptr.To(int32(3600))
		lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(time.Now()))
		taken, err := leases.Update(w.Context(), lease, metav1.UpdateOptions{})
		if err == nil {
			w.recorded(taken)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// leased: somebody holds the one Lease of the namespace.
func leased(now state) error {
	for _, lease := range now.leases {
		if ptr.Deref(lease.Spec.HolderIdentity, "") != "" {
			return nil
		}
	}
	return fmt.Errorf("nobody leads: %v", sorted(now.leases))
}

func leasedBy(holder string) claim {
	return func(now state) error {
		for _, lease := range now.leases {
			if ptr.Deref(lease.Spec.HolderIdentity, "") == holder {
				return nil
			}
		}
		return fmt.Errorf("%s does not lead: %v", holder, sorted(now.leases))
	}
}

// lease is the one Lease of the namespace.
func (w *world) lease() (lease *coordinationv1.Lease) {
	w.Helper()
	_ = w.record.judge(func(now state) error {
		if leases := sorted(now.leases); len(leases) > 0 {
			lease = leases[0]
		}
		return nil
	}, nil)
	return lease
}

func (w *world) holder() string { return ptr.Deref(w.lease().Spec.HolderIdentity, "") }

// An operator that is asked to end finishes the reconcile it is in: the pod that comes after the revision is made.
func TestDrain(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		g := w.guard()
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			name := "ended-by-" + strconv.Itoa(int(signal))
			creation := g.hold(createRevisions)
			r := w.launch()
			w.create(fleet(name))
			w.awaitHold(creation)
			r.Signal(signal)
			creation.release()
			if status := w.awaitExit(r); status != 0 {
				t.Errorf("the operator ended with exit status %d", status)
			}
			w.eventually(has(name, 1))
		}
	})
}
