package fleet

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Records are written only while the finalizer and the zone's name are on the Fleet, and withdrawn from that zone.
func TestNextPublishingStep(t *testing.T) {
	for _, row := range []struct {
		finalizer, annotation string // what the Fleet is held by
		spec                  string // the zone it asks for
		alive, deleted        PublishingStep
	}{
		{"", "", "", NothingToPublish, NothingToPublish},
		{"", "", "a.test", Hold, NothingToPublish},
		{"", "a.test.", "", NothingToPublish, NothingToPublish},
		{"", "a.test.", "a.test", Hold, NothingToPublish},
		{"", "a.test.", "b.test", Hold, NothingToPublish},
		{"held", "a.test.", "", Withdraw, Withdraw},
		{"held", "a.test.", "a.test", Publish, Withdraw},
		{"held", "a.test.", "A.Test.", Publish, Withdraw},
		{"held", "a.test.", "b.test", Withdraw, Withdraw},
		{"held", "", "a.test", Hold, Withdraw},
		{"held", "", "", AskForZone, AskForZone},
	} {
		name := strings.Join([]string{"finalizer:" + row.finalizer, "annotation:" + row.annotation, "spec:" + row.spec}, " ")
		t.Run(name, func(t *testing.T) {
			seen := given(heldFor(row.annotation))
			if row.finalizer == "" {
				seen.Fleet.Finalizers = nil
			}
			if row.spec != "" {
				wantsZone(row.spec)(&seen)
			}
			if got := NextPublishingStep(seen.Fleet); got != row.alive {
				t.Errorf("the step is %d; want %d", got, row.alive)
			}
			if got := NextPublishingStep(then(seen, deleting).Fleet); got != row.deleted {
				t.Errorf("the step of a deleted Fleet is %d; want %d", got, row.deleted)
			}
		})
	}
}

// Whatever a Fleet wants, doing one step after the other arrives.
func TestPublishingStepsArrive(t *testing.T) {
	for name, seen := range map[string]Observed{
		"new":               given(wantsZone("a.test")),
		"zone forgotten":    given(heldFor(""), wantsZone("a.test")),
		"moved":             given(heldFor("a.test"), wantsZone("b.test")),
		"no longer wanted":  given(heldFor("a.test")),
		"deleted":           given(heldFor("a.test"), wantsZone("a.test"), deleting),
		"deleted and moved": given(heldFor("a.test"), wantsZone("b.test"), deleting),
	} {
		t.Run(name, func(t *testing.T) {
			f := seen.Fleet
			for range 3 {
				switch NextPublishingStep(f) {
				case Hold:
					f.Finalizers = WithDNSFinalizer(f.Finalizers)
					f.Annotations = map[string]string{v1alpha1.DNSZoneAnnotation: WantedZone(f)}
				case Withdraw:
					f.Finalizers, f.Annotations = WithoutDNSFinalizer(f.Finalizers), nil
				}
			}
			want := NothingToPublish
			if WantedZone(f) != "" {
				want = Publish
			}
			if got := NextPublishingStep(f); got != want || HeldZone(f) != WantedZone(f) {
				t.Errorf("it is at step %d, held for %q and wants %q", got, HeldZone(f), WantedZone(f))
			}
		})
	}
}

func TestWantedEntry(t *testing.T) {
	zoned := func(facts ...fact) Observed {
		return given(append([]fact{rolledOut("v1"), wantsZone("Fleet.Test")}, facts...)...)
	}
	for _, row := range []struct {
		name string
		seen Observed
		want []string
	}{
		{"no pods", zoned(), nil},
		{"ready pods, in order", zoned(pods(1, "v1", at("10.0.0.2")), pods(1, "v1", at("10.0.0.1"))),
			[]string{"10.0.0.1", "10.0.0.2"}},
		{"both families", zoned(pods(1, "v1", at("10.0.0.1", "fd00::1"))), []string{"10.0.0.1", "fd00::1"}},
		{"an address once", zoned(pods(2, "v1", at("10.0.0.1"))), []string{"10.0.0.1"}},
		{"pods of every revision", zoned(pods(1, "v1", at("10.0.0.1")), pods(1, "v0", at("10.0.0.2"))),
			[]string{"10.0.0.1", "10.0.0.2"}},
		{"ready, and not yet available", zoned(minReadySeconds(60), pods(1, "v1", readyFor(0), at("10.0.0.1"))),
			[]string{"10.0.0.1"}},
		{"not ready", zoned(pods(1, "v1", unready, at("10.0.0.1"))), nil},
		{"terminating", zoned(pods(1, "v1", terminating, at("10.0.0.1"))), nil},
		{"failed", zoned(pods(1, "v1", failed, at("10.0.0.1"))), nil},
		{"quarantined", zoned(pods(1, "v1", quarantined, at("10.0.0.1"))), nil},
		{"adopted", zoned(pods(1, "v1", orphan, at("10.0.0.1"))), []string{"10.0.0.1"}},
		{"of others", zoned(pods(1, "v1", foreign, at("10.0.0.1"))), nil},
		{"no address yet", zoned(pods(1, "v1"), pods(1, "v1", at("", "nonsense"))), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			entry, err := WantedEntry(row.seen.Fleet, Decide(row.seen))
			if err != nil {
				t.Fatal(err)
			}
			var addresses []string
			for _, address := range entry.Addresses {
				addresses = append(addresses, address.String())
			}
			if diff := cmp.Diff(row.want, addresses); diff != "" {
				t.Errorf("other addresses (-want +got):\n%s", diff)
			}
			if entry.Name != "web.demo.fleet.test." || entry.Owner != "uid-of-web" || entry.TTL != 30 || entry.Foreign {
				t.Errorf("got %+v", entry)
			}
		})
	}
	t.Run("its time to live", func(t *testing.T) {
		seen := zoned()
		seen.Fleet.Spec.DNS.TTL = ptr.To[int32](0)
		if entry, err := WantedEntry(seen.Fleet, Decide(seen)); err != nil || entry.TTL != 0 {
			t.Errorf("got %+v, %v", entry, err)
		}
	})
	for name, seen := range map[string]Observed{
		"a label too long": zoned(func(s *Observed) { s.Fleet.Name = strings.Repeat("x", 64) }),
		"no zone":          given(),
		"deleted":          zoned(deleting),
	} {
		t.Run(name, func(t *testing.T) {
			if entry, err := WantedEntry(seen.Fleet, Decide(seen)); !errors.Is(err, ErrInvalidName) {
				t.Errorf("got %+v, %v; want %v", entry, err, ErrInvalidName)
			}
		})
	}
}

func TestDNSFinalizer(t *testing.T) {
	const other = "example.com/other"
	for _, row := range []struct {
		name                 string
		given, with, without []string
	}{
		{"none", nil, []string{v1alpha1.DNSFinalizer}, nil},
		{"another's", []string{other}, []string{other, v1alpha1.DNSFinalizer}, []string{other}},
		{"already there", []string{v1alpha1.DNSFinalizer, other}, []string{other, v1alpha1.DNSFinalizer}, []string{other}},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := slices.Clone(row.given)
			if got := WithDNSFinalizer(row.given); !slices.Equal(got, row.with) {
				t.Errorf("with it: %v; want %v", got, row.with)
			}
			if got := WithoutDNSFinalizer(row.given); !slices.Equal(got, row.without) {
				t.Errorf("without it: %v; want %v", got, row.without)
			}
			if !slices.Equal(row.given, before) {
				t.Errorf("the list that was given became %v", row.given)
			}
		})
	}
}
