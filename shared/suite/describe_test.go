package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// describe is what somebody wants to see who asks why a test failed.
func (s state) describe() string {
	var text strings.Builder
	for _, f := range sorted(s.fleets) {
		f = f.DeepCopy()
		f.ManagedFields = nil
		document, err := yaml.Marshal(f)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&text, "--- Fleet %s\n%s", f.Name, document)
	}
	text.WriteString("---\n")
	for _, pod := range sorted(s.pods) {
		fmt.Fprintf(&text, "pod %s: %s\n", pod.Name, describePod(pod))
	}
	for _, r := range sorted(s.revisions) {
		fmt.Fprintf(&text, "revision %s: number %d, owner %s, %s\n", r.Name, r.Revision, ownerOf(r), r.Data.Raw)
	}
	for _, lease := range sorted(s.leases) {
		fmt.Fprintf(&text, "lease %s: %+v\n", lease.Name, lease.Spec)
	}
	for _, event := range sorted(s.events) {
		fmt.Fprintf(&text, "event %s of %s: %s\n", event.Reason, event.Regarding.Name, event.Note)
	}
	for zone, entries := range s.zones {
		fmt.Fprintf(&text, "zone %s: %+v\n", zone, entries)
	}
	return text.String()
}

func describePod(pod *corev1.Pod) string {
	words := []string{string(pod.Status.Phase), "owner " + ownerOf(pod), "revision " + revisionOf(pod)}
	if pod.Spec.NodeName == "" {
		words = append(words, "unassigned")
	}
	if ready(pod) {
		words = append(words, "ready")
	}
	if pod.DeletionTimestamp != nil {
		words = append(words, "terminating")
	}
	if len(pod.Finalizers) > 0 {
		words = append(words, "held by "+strings.Join(pod.Finalizers, ", "))
	}
	return strings.Join(words, ", ")
}

func ownerOf(object metav1.Object) string {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return owner.Kind + " " + owner.Name
	}
	return "nobody"
}

func sorted[T any](all map[string]T) []T {
	var values []T
	for _, name := range slices.Sorted(maps.Keys(all)) {
		values = append(values, all[name])
	}
	return values
}
