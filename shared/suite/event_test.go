package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone/server"
)

// Behaviour 12: what a person is told.

// One event tells of a step, however many pods it moved.
func TestEvents(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enter(t, s)
		f := w.create(fleet("web", replicas(20), rolling("100%", "0")))
		w.eventually(settled("web"), tells("web", "ScaledUp", corev1.EventTypeNormal, "created 20 pods"),
			tells("web", v1alpha1.ReasonRolledOut, corev1.EventTypeNormal, "is rolled out"))
		w.change("web", replicas(15))
		w.eventually(settled("web"), tells("web", "ScaledDown", corev1.EventTypeNormal, "deleted 5 pods"))
		var reasons []string
		for _, event := range w.events() {
			reasons = append(reasons, event.Reason)
			if event.Regarding.UID != f.UID || event.ReportingController == "" || event.Action == "" {
				t.Errorf("event %s: %+v", event.Reason, event)
			}
		}
		slices.Sort(reasons)
		// That a roll has begun is not told when it is over at once.
		reasons = slices.DeleteFunc(reasons, func(reason string) bool { return reason == v1alpha1.ReasonRollingOut })
		if want := []string{v1alpha1.ReasonRolledOut, "ScaledDown", "ScaledUp"}; !slices.Equal(reasons, want) {
			t.Errorf("told: %v, not %v", notesOf(w.events()), want)
		}

		w.change("web", gated, image("web:2.0"))
		w.eventually(tells("web", v1alpha1.ReasonRollingOut, corev1.EventTypeNormal, "rolling out"))
	})
}

// What went wrong is a warning, told when it begins.
func TestWarnings(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := enterServed(emptyWorld(t, s))
		warns := func(name, reason string) claim { return tells(name, reason, corev1.EventTypeWarning, "") }
		w.create(fleet("stalled", image(broken), progressDeadline(1)))
		w.addRecord("taken", "A 192.0.2.7")
		w.create(fleet("taken", publishedIn(fleetZone)))
		w.create(fleet("published", publishedIn(fleetZone)))
		overlap := selecting(map[string]string{"app": "both"})
		w.create(fleet("one", overlap))
		w.create(fleet("two", overlap))
		w.create(fleet("refused", image(" ")))
		w.eventually(
			warns("stalled", v1alpha1.ReasonProgressDeadlineExceeded),
			warns("taken", v1alpha1.ReasonNameTaken),
			warns("one", v1alpha1.ReasonOverlap),
			warns("two", v1alpha1.ReasonOverlap),
			warns("refused", v1alpha1.ReasonFailedCreate),
			tells("published", v1alpha1.ReasonPublished, corev1.EventTypeNormal, fleetZone))
		w.dns.Stop()
		w.change("published", ttl(60))
		w.eventually(warns("published", v1alpha1.ReasonServerUnreachable))
	})
}

// tells: there is one event of a reason about a Fleet.
func tells(name, reason, eventType, note string) claim {
	return func(now state) error {
		var found []*eventsv1.Event
		for _, event := range sorted(now.events) {
			if event.Regarding.Name == name && event.Reason == reason {
				found = append(found, event)
			}
		}
		matches := func(event *eventsv1.Event) bool {
			return event.Type == eventType && strings.Contains(event.Note, note)
		}
		if !slices.ContainsFunc(found, matches) {
			return fmt.Errorf("no %s event %s about %s tells of %q; there are %v",
				eventType, reason, name, note, notesOf(found))
		}
		return nil
	}
}

func (w *world) events() (events []*eventsv1.Event) {
	_ = w.record.judge(func(now state) error {
		events = sorted(now.events)
		return nil
	}, nil)
	return events
}

func notesOf(events []*eventsv1.Event) []string {
	var notes []string
	for _, event := range events {
		notes = append(notes, fmt.Sprintf("%s: %s", event.Reason, event.Note))
	}
	return notes
}

// A line of the log that is about a Fleet has its name under the key fleet, in klog's text or in JSON.
func TestLogNamesFleet(t *testing.T) {
	eachOperator(t, func(t *testing.T, s subject) {
		w := emptyWorld(t, s)
		w.serve(server.Config{Zones: []string{fleetZone}})
		w.dns.Stop()
		r := w.launch()
		w.create(fleet("web", publishedIn(fleetZone)))
		line := regexp.MustCompile(`(?mi)^.*\bfleet"?[=:].*\bweb\b.*$`)
		w.eventually(func(state) error {
			if !line.MatchString(r.log.String()) {
				return fmt.Errorf("no line of the log names the Fleet")
			}
			return nil
		})
	})
}
