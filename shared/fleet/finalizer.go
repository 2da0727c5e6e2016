package fleet

import (
	"slices"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// HasDNSFinalizer reports whether a Fleet is held for its records.
func HasDNSFinalizer(f *v1alpha1.Fleet) bool {
	return slices.Contains(f.Finalizers, v1alpha1.DNSFinalizer)
}

// WithDNSFinalizer returns a list of finalizers with Fleet's own in it, once.
func WithDNSFinalizer(finalizers []string) []string {
	return append(WithoutDNSFinalizer(finalizers), v1alpha1.DNSFinalizer)
}

// WithoutDNSFinalizer returns a list of finalizers without Fleet's own.
func WithoutDNSFinalizer(finalizers []string) []string {
	return filter(finalizers, func(name string) bool { return name != v1alpha1.DNSFinalizer })
}
