package suite

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone/server"
)

// Behaviour 10: no record without the finalizer, and none left behind.

func TestDeleteWithdraws(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		for name, policy := range map[string]metav1.DeletionPropagation{
			"background": metav1.DeletePropagationBackground,
			"foreground": metav1.DeletePropagationForeground,
			"orphan":     metav1.DeletePropagationOrphan,
		} {
			f := w.create(fleet(name, replicas(2), publishedIn(fleetZone)))
			w.eventually(settled(name), published(name, fleetZone))
			pods := w.pods(name)
			w.delete(name, policy)
			w.eventually(gone(name), w.free(name, fleetZone), ownsNothing(f))
			for _, pod := range pods {
				if policy == metav1.DeletePropagationOrphan {
					w.now(unowned(pod))
				} else {
					w.now(without(pod))
				}
			}
		}
	})
}

// The finalizer and the name of the zone are on the Fleet before the first record is written, and stay until the last
// one has gone.
func TestFinalizerSpansRecords(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{fleetZone}})
		var updates atomic.Int32
		w.dns.onUpdate(func(ctx context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
			updates.Add(1)
			before, err := w.fleets.Get(ctx, "web", metav1.GetOptions{})
			if err != nil || !isHeldFor(before, fleetZone) {
				t.Errorf("%s: the Fleet is not held for its records: %v, %v", u, before.Finalizers, err)
			}
			rcode := apply()
			after, err := w.fleets.Get(ctx, "web", metav1.GetOptions{})
			if err != nil || !isHeldFor(after, fleetZone) {
				t.Errorf("after %s, before the answer: the Fleet is not held: %v, %v", u, after.Finalizers, err)
			}
			return rcode
		})
		w.launch()
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.delete("web")
		w.eventually(gone("web"), w.free("web", fleetZone))
		if n := updates.Load(); n < 2 {
			t.Errorf("%d updates were seen, and not one to publish and one to withdraw", n)
		}
	})
}

func isHeldFor(f *v1alpha1.Fleet, zone string) bool {
	return slices.Contains(f.Finalizers, v1alpha1.DNSFinalizer) && f.Annotations[v1alpha1.DNSZoneAnnotation] == zone
}

// A Fleet that publishes nothing is never held.
func TestNoFinalizerWithoutRecords(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2)))
		w.eventually(settled("web"))
		w.delete("web")
		w.eventually(gone("web"))
		for _, c := range w.record.history() {
			if f, isFleet := c.object.(*v1alpha1.Fleet); isFleet && len(f.Finalizers) > 0 {
				t.Errorf("%s: held by %v", c, f.Finalizers)
			}
		}
	})
}

// While the server is down the Fleet says so, and everything else about it goes on. When it is back, so is the Fleet.
func TestServerDown(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.create(fleet("plain", replicas(1)))
		w.eventually(settled("web"), settled("plain"), published("web", fleetZone))
		w.dns.Stop()
		w.change("web", replicas(4), image("web:2.0"))
		w.change("plain", replicas(2))
		unreachable := all(
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable),
			mentions("web", v1alpha1.ConditionPublished, w.dns.Addr()),
			says("web", v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonPublishFailed))
		goesOn := all(unreachable, counts("web", 4, 4, 4, 4), has("web", 4, serving, hasImage("web:2.0")))
		w.eventually(goesOn, settled("plain"))
		w.deletePod(w.pods("web", live)[0])
		w.eventually(goesOn)
		w.startDNS()
		w.eventually(settled("web"), published("web", fleetZone))
	})
}

// A deletion waits for the server, and completes when it is back.
func TestDeleteWaitsForServer(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		web := w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.dns.Stop()
		w.delete("web")
		w.eventually(observed("web"),
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable),
			mentions("web", v1alpha1.ConditionPublished, "the deletion waits for the records to be withdrawn"),
			mentions("web", v1alpha1.ConditionPublished, w.dns.Addr()))
		w.nudge("web")
		w.restart()
		w.nudge("web")
		w.startDNS()
		w.eventually(gone("web"), w.free("web", fleetZone), ownsNothing(web))
	})
}

// An answer that is lost is no failure to withdraw, nor a reason to leave anything.
func TestLostAnswers(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{fleetZone}})
		var updates atomic.Int32
		w.dns.onUpdate(func(_ context.Context, _ server.Update, apply func() server.Rcode) server.Rcode {
			rcode := apply()
			if updates.Add(1)%2 == 1 {
				return server.NoAnswer
			}
			return rcode
		})
		w.launch()
		web := w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.change("web", ttl(60))
		w.eventually(settled("web"), published("web", fleetZone))
		w.delete("web")
		w.eventually(gone("web"), w.free("web", fleetZone), ownsNothing(web))
	})
}

// Removing spec.dns withdraws the records, then the finalizer, and the Fleet goes on.
func TestUnpublish(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.change("web", unpublished)
		w.eventually(settled("web"), w.free("web", fleetZone), unheld("web"))
		w.change("web", publishedIn(fleetZone))
		w.eventually(settled("web"), published("web", fleetZone))
		if n := w.everCreated("web"); n != 2 {
			t.Errorf("%d pods were created for 2", n)
		}
	})
}

// unheld: neither a condition nor a finalizer nor an annotation is left of publishing.
func unheld(name string) claim {
	return all(silent(name, v1alpha1.ConditionPublished), the(name, func(_ state, f *v1alpha1.Fleet) error {
		if len(f.Finalizers)+len(f.Annotations) > 0 {
			return fmt.Errorf("is held by %v, with the annotations %v", f.Finalizers, f.Annotations)
		}
		return nil
	}))
}

// So it does when the server was down at first.
func TestUnpublishWaitsForServer(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.dns.Stop()
		w.change("web", unpublished)
		w.eventually(observed("web"),
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable))
		w.startDNS()
		w.eventually(settled("web"), w.free("web", fleetZone), unheld("web"))
	})
}

// A zone that the server does not serve holds no Fleet: it can be corrected, and deleted.
func TestUnservedZone(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		refused := func(name string) claim {
			return all(has(name, 2, serving),
				says(name, v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonServerRefused),
				says(name, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonServerRefused))
		}
		w.create(fleet("corrected", replicas(2), publishedIn("typo.test")))
		w.create(fleet("deleted", replicas(2), publishedIn("typo.test")))
		w.eventually(refused("corrected"), refused("deleted"))
		w.change("corrected", publishedIn(fleetZone))
		w.delete("deleted")
		w.eventually(settled("corrected"), published("corrected", fleetZone), gone("deleted"))

		w.change("corrected", publishedIn("typo.test"))
		w.eventually(refused("corrected"), w.free("corrected", fleetZone))
		w.delete("corrected")
		w.eventually(gone("corrected"))
	})
}

// Another zone is another place: the records move.
func TestZoneChange(t *testing.T) {
	const before, after = "before.test.", "after.test."
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{before, after}})
		w.launch()
		w.create(fleet("web", replicas(2), publishedIn(before)))
		w.eventually(settled("web"), published("web", before))
		w.change("web", publishedIn(after))
		w.eventually(settled("web"), published("web", after), w.free("web", before))
		w.delete("web")
		w.eventually(gone("web"), w.free("web", before), w.free("web", after))
	})
}

// The name of the zone is written down again while the spec still has it, whether the server answers or not. When neither
// has it, the Fleet says how to go on, and goes on when it is told.
func TestForgottenZone(t *testing.T) {
	forgotten := `{"metadata":{"annotations":{"` + v1alpha1.DNSZoneAnnotation + `":null}}`
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.dns.Stop()
		w.patchFleet("web", forgotten+`}`)
		w.eventually(the("web", func(_ state, f *v1alpha1.Fleet) error {
			if !isHeldFor(f, fleetZone) {
				return fmt.Errorf("is held by %v, with the annotations %v", f.Finalizers, f.Annotations)
			}
			return nil
		}))
		w.startDNS()
		w.eventually(settled("web"), published("web", fleetZone))

		asks := all(observed("web"),
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonUnknownZone),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonUnknownZone),
			mentions("web", v1alpha1.ConditionStalled, v1alpha1.DNSZoneAnnotation))
		w.patchFleet("web", forgotten+`,"spec":{"dns":null}}`)
		w.eventually(asks)
		w.delete("web")
		w.eventually(asks)
		w.patchFleet("web", `{"metadata":{"annotations":{"`+v1alpha1.DNSZoneAnnotation+`":"`+fleetZone+`"}}}`)
		w.eventually(gone("web"), w.free("web", fleetZone))
	})
}

// Deleting a Fleet that somebody else holds as well withdraws its records at once, and leaves the other's finalizer.
func TestForeignFinalizer(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone), held))
		w.eventually(settled("web"), published("web", fleetZone))
		w.delete("web")
		w.eventually(observed("web"), w.free("web", fleetZone), the("web", func(_ state, f *v1alpha1.Fleet) error {
			if !slices.Equal(f.Finalizers, []string{fleetFinalizer}) {
				return fmt.Errorf("is held by %v", f.Finalizers)
			}
			return nil
		}))
		w.releaseFleet("web")
		w.eventually(gone("web"))
	})
}
