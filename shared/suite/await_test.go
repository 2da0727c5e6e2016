package suite

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/zone"
)

// A claim is something said of a state: nil when it holds, and otherwise what is the case instead.
type claim func(state) error

// all claims at once.
func all(claims ...claim) claim {
	return func(now state) error {
		var refuted []error
		for _, c := range claims {
			refuted = append(refuted, c(now))
		}
		return errors.Join(refuted...)
	}
}

// eventually waits until the claims hold, all at one moment.
func (w *world) eventually(claims ...claim) {
	w.Helper()
	deadline := time.After(patience)
	for {
		changed := w.record.changed.rings()
		refuted := w.record.judge(all(claims...), w.zones())
		if refuted == nil {
			return
		}
		if err := w.died(); err != nil {
			w.Fatalf("%v\nwhile waiting, since\n%v", err, refuted)
		}
		select {
		case <-changed:
		case <-deadline:
			w.Fatalf("still not after %s:\n%v", patience, refuted)
		}
	}
}

// now fails the test unless the claims hold at this moment.
func (w *world) now(claims ...claim) {
	w.Helper()
	if refuted := w.record.judge(all(claims...), w.zones()); refuted != nil {
		w.Error(refuted)
	}
}

// recorded waits until the record shows what was written: what is claimed next is claimed of a state that has it.
func (w *world) recorded(written metav1.Object) {
	w.Helper()
	w.eventually(func(now state) error {
		for _, c := range w.record.changes {
			if c.object.GetUID() == written.GetUID() && order(c, change{object: written}) >= 0 {
				return nil
			}
		}
		return fmt.Errorf("%T %s is not recorded at version %s yet",
			written, written.GetName(), written.GetResourceVersion())
	})
}

// zones are what the DNS server holds.
func (w *world) zones() map[string][]zone.Entry {
	if w.dns == nil {
		return nil
	}
	return w.dns.contents()
}
