package fleet

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

// PublishingStep is the next thing to do about a Fleet's records outside the cluster.
type PublishingStep int

const (
	// NothingToPublish: no records are wanted and none can exist.
	NothingToPublish PublishingStep = iota
	// Hold the Fleet first: records may be written only while the finalizer and the zone's name are on it.
	Hold
	// Publish the wanted records in the zone that the Fleet is held for.
	Publish
	// Withdraw the records from the zone that the Fleet is held for, and let go of it.
	Withdraw
	// AskForZone of somebody who knows it: the Fleet is held for records, and for no zone that it names.
	AskForZone
)

// NextPublishingStep decides by what the Fleet itself says: the zone it wants, and the zone it is held for. Records can
// only exist in the latter, which is why it is written down before the first of them: a spec forgets.
func NextPublishingStep(f *v1alpha1.Fleet) PublishingStep {
	wanted, held := WantedZone(f), HeldZone(f)
	switch {
	case held == "" && HasDNSFinalizer(f):
		return AskForZone
	case held == "" && wanted == "":
		return NothingToPublish
	case held == "", held == wanted && f.Annotations[v1alpha1.DNSZoneAnnotation] == "":
		return Hold
	case held == wanted:
		return Publish
	default:
		return Withdraw
	}
}

// WantedZone is the zone a Fleet's records belong in, in canonical form; empty when it wants none.
func WantedZone(f *v1alpha1.Fleet) string {
	if f.Spec.DNS == nil || f.DeletionTimestamp != nil {
		return ""
	}
	return zone.Canonical(f.Spec.DNS.Zone)
}

// HeldZone is the zone that may hold records of a Fleet; empty when none does, or when it is not known. A finalizer whose
// zone somebody removed is taken to mean the zone of the spec.
func HeldZone(f *v1alpha1.Fleet) string {
	if !HasDNSFinalizer(f) {
		return ""
	}
	if held := f.Annotations[v1alpha1.DNSZoneAnnotation]; held != "" {
		return zone.Canonical(held)
	}
	if f.Spec.DNS != nil {
		return zone.Canonical(f.Spec.DNS.Zone)
	}
	return ""
}

// WantedEntry is what the zone should hold for a Fleet: the addresses of its ready pods that are to stay, owned by its
// uid. The error is ErrInvalidName.
func WantedEntry(f *v1alpha1.Fleet, plan Plan) (zone.Entry, error) {
	name, err := zone.FQDN(f.Name, f.Namespace, WantedZone(f))
	if err != nil {
		return zone.Entry{}, fmt.Errorf("%w: %w", ErrInvalidName, err)
	}
	return zone.Entry{
		Name:      name,
		Owner:     string(f.UID),
		TTL:       uint32(ptr.Deref(f.Spec.DNS.TTL, 30)),
		Addresses: addresses(filter(live(plan.claimed), plan.serves)),
	}.Normalize(), nil
}

// serves reports whether a pod is ready and not about to be deleted.
func (p Plan) serves(pod *corev1.Pod) bool {
	return ready(pod) && !slices.ContainsFunc(p.Delete, func(d Deletion) bool { return d.Pod.UID == pod.UID })
}

func addresses(pods []*corev1.Pod) []netip.Addr {
	var all []netip.Addr
	for _, pod := range pods {
		for _, ip := range pod.Status.PodIPs {
			if address, err := netip.ParseAddr(ip.IP); err == nil {
				all = append(all, address)
			}
		}
	}
	return all
}
