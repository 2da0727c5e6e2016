package suite

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/server"
	"example.com/twinloop/shared/zone/tsig"
)

// Behaviour 9: the addresses of ready pods are in the zone.

func TestPublish(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(3), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))

		w.change("web", replicas(5))
		w.eventually(settled("web"), published("web", fleetZone))
		w.command(cp.Kubelet.Unready, w.pods("web", serving)[0])
		w.eventually(counts("web", 5, 5, 4, 4), published("web", fleetZone))
		w.change("web", ttl(90))
		w.eventually(observed("web"), published("web", fleetZone))
		w.change("web", image("web:2.0"))
		w.eventually(settled("web"), published("web", fleetZone))
		w.change("web", replicas(0))
		w.eventually(settled("web"), published("web", fleetZone))
		w.change("web", replicas(1), publishedIn(strings.TrimSuffix(fleetZone, ".")))
		w.eventually(settled("web"), published("web", fleetZone))
	})
}

// What the zone holds already is not sent again, not even by a new process.
func TestSettledFleetSendsNoUpdate(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.dns.onUpdate(func(_ context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
			t.Errorf("update: %s", u)
			return apply()
		})
		w.nudge("web")
		w.restart()
		w.nudge("web")
	})
}

// A name that somebody else has is told of and left alone, whoever it belongs to. When it is given up it is taken.
func TestTakenNameIsReported(t *testing.T) {
	owners := map[string]string{
		"another-fleets": `TXT "twinloop-owner=5d9a8c3e-0000-0000-0000-000000000000"`,
		"nobody-knows":   "A 192.0.2.7",
	}
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		for name, record := range owners {
			taken := w.addRecord(name, record)
			w.create(fleet(name, replicas(2), publishedIn(fleetZone)))
			w.eventually(has(name, 2, serving), computes(name, kstatus.FailedStatus),
				says(name, v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonNameTaken),
				mentions(name, v1alpha1.ConditionPublished, taken.Name),
				says(name, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNameTaken))
			w.change(name, replicas(3))
			w.eventually(observed(name), has(name, 3, serving))
			w.now(holds(taken))
			w.delete(name)
			w.eventually(gone(name))
			w.now(holds(taken))

			w.create(fleet(name, publishedIn(fleetZone)))
			w.eventually(says(name, v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonNameTaken))
			w.removeRecords(name)
			w.eventually(settled(name), published(name, fleetZone))
		}
	})
}

// A name can be taken between the look at it and the update. The update says what it expects, and the server decides.
func TestUpdateIsCompareAndSwap(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{fleetZone}})
		var taken atomic.Pointer[zone.Entry]
		w.dns.onUpdate(func(_ context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
			if len(u.Prerequisites) > 0 && taken.CompareAndSwap(nil, &zone.Entry{}) {
				entry := w.addRecord("web", `TXT "twinloop-owner=5d9a8c3e-0000-0000-0000-000000000000"`)
				taken.Store(&entry)
			}
			return apply()
		})
		w.launch()
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonNameTaken))
		w.now(holds(*taken.Load()))
	})
}

// A name that was published and has been taken over since is not withdrawn with the Fleet.
func TestWithdrawalAsksForOwner(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.removeRecords("web")
		taken := w.addRecord("web", `TXT "twinloop-owner=5d9a8c3e-0000-0000-0000-000000000000"`)
		w.delete("web")
		w.eventually(gone("web"))
		w.now(holds(taken))
	})
}

// holds: fleetZone has an entry.
func holds(entry zone.Entry) claim {
	return func(now state) error {
		for _, held := range now.zones[fleetZone] {
			if held.Equal(entry) {
				return nil
			}
		}
		return fmt.Errorf("the zone holds %+v, and not %+v", now.zones[fleetZone], entry)
	}
}

// Records that somebody has changed behind the Fleet's back, but for the mark of its owner, are put right with the next
// change of the Fleet.
func TestRecordsAreMended(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(settled("web"), published("web", fleetZone))
		w.addRecord("web", "A 192.0.2.7")
		w.nudge("web")
		w.eventually(published("web", fleetZone))
		w.removeRecords("web")
		w.nudge("web")
		w.eventually(published("web", fleetZone))
	})
}

// A server that asks for a key takes the updates that are signed with it. One that gets none, or another, refuses, and
// the Fleet says so.
func TestTSIG(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		key, another := newKey(t), newKey(t)
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{fleetZone}, Keys: []*tsig.Key{key}})
		w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		for _, wrong := range []*tsig.Key{nil, another} {
			w.signWith(wrong)
			w.restart()
			w.nudge("web")
			w.eventually(has("web", 2, serving),
				says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonServerRefused),
				says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonServerRefused))
			w.now(w.free("web", fleetZone))
		}
		w.signWith(key)
		w.restart()
		w.eventually(settled("web"), published("web", fleetZone))
		w.delete("web")
		w.eventually(gone("web"), w.free("web", fleetZone))
	})
}

func newKey(t *testing.T) *tsig.Key {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	key, err := tsig.NewKey("fleet-key", "hmac-sha256", base64.StdEncoding.EncodeToString(secret))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signWith has operators that are launched from now on sign with a key.
func (w *world) signWith(key *tsig.Key) {
	w.Helper()
	if key == nil {
		w.dns.keyFile = ""
		return
	}
	w.dns.keyFile = filepath.Join(w.TempDir(), "key")
	content := fmt.Sprintf("key %q { algorithm %s; secret %q; };\n", strings.TrimSuffix(key.Name, "."),
		strings.TrimSuffix(key.Algorithm, "."), base64.StdEncoding.EncodeToString(key.Secret))
	if err := os.WriteFile(w.dns.keyFile, []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
}

// An operator without a DNS server says that it cannot publish, and keeps the Fleet otherwise.
func TestNoDNSServer(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		web := w.create(fleet("web", replicas(2), publishedIn(fleetZone)))
		w.eventually(has("web", 2, serving),
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonNoServer),
			mentions("web", v1alpha1.ConditionPublished, "--dns-server"))
		w.delete("web")
		w.eventually(gone("web"), ownsNothing(web))
	})
}

// Each part of a name can be right and the whole too long.
func TestNameTooLong(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		label := strings.Repeat("a", 60)
		zone := strings.Join([]string{label, label, label, label}, ".")
		web := w.create(fleet("web", publishedIn(zone)))
		w.eventually(has("web", 1, serving),
			says("web", v1alpha1.ConditionPublished, metav1.ConditionFalse, v1alpha1.ReasonInvalidName),
			says("web", v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidName))
		w.change("web", publishedIn(fleetZone))
		w.eventually(settled("web"), published("web", fleetZone))
		w.delete("web")
		w.eventually(gone("web"), ownsNothing(web), w.free("web", fleetZone))
	})
}
