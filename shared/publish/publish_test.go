package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/zone"
)

// A script is a DNS server, and the writer of a Fleet's metadata, that fails where it is told to and keeps a list of what
// it was asked.
type script struct {
	held  map[string]zone.Entry // by zone
	fails map[string]error      // by what is asked
	asked []string
}

func (s *script) ask(what string, args ...any) error {
	s.asked = append(s.asked, fmt.Sprintf(what, args...))
	return s.fails[s.asked[len(s.asked)-1]]
}

func (s *script) Lookup(_ context.Context, zoneName, name string) (zone.Entry, error) {
	entry, ok := s.held[zoneName]
	if !ok {
		entry = zone.Entry{Name: name}
	}
	return entry, s.ask("look in %s", zoneName)
}

func (s *script) Publish(_ context.Context, zoneName string, _, want zone.Entry) error {
	err := s.ask("publish in %s", zoneName)
	if err == nil {
		s.held[zoneName] = want
	}
	return err
}

func (s *script) Withdraw(_ context.Context, zoneName, _, _ string) error {
	delete(s.held, zoneName)
	return s.ask("withdraw from %s", zoneName)
}

func (s *script) setHold(_ context.Context, f *v1alpha1.Fleet, zoneName string) (*v1alpha1.Fleet, error) {
	after := f.DeepCopy()
	after.Finalizers = fleet.WithoutDNSFinalizer(f.Finalizers)
	delete(after.Annotations, v1alpha1.DNSZoneAnnotation)
	if zoneName != "" {
		after.Finalizers = fleet.WithDNSFinalizer(f.Finalizers)
		metav1.SetMetaDataAnnotation(&after.ObjectMeta, v1alpha1.DNSZoneAnnotation, zoneName)
		return after, s.ask("hold for %s", zoneName)
	}
	return after, s.ask("let go")
}

// web is a Fleet that wants to be in one zone and is held for another; either may be empty.
func web(wants, held string) *v1alpha1.Fleet {
	f := &v1alpha1.Fleet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "web-uid", Generation: 1},
		Spec: v1alpha1.FleetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}},
		},
	}
	if wants != "" {
		f.Spec.DNS = &v1alpha1.FleetDNS{Zone: wants, TTL: ptr.To(int32(30))}
	}
	if held != "" {
		f.Finalizers = []string{v1alpha1.DNSFinalizer}
		f.Annotations = map[string]string{v1alpha1.DNSZoneAnnotation: held}
	}
	return f
}

func decided(f *v1alpha1.Fleet) fleet.Plan { return fleet.Decide(fleet.Observed{Fleet: f}) }

func TestSteps(t *testing.T) {
	down := errors.New("down")
	foreign := zone.Entry{Name: "web.demo.a.test.", Owner: "another"}
	for _, test := range []struct {
		name        string
		wants, held string
		inZone      map[string]zone.Entry
		fails       map[string]error
		asked       []string
		failure     error
	}{
		{"nothing to do", "", "", nil, nil, nil, nil},
		{"for the first time", "a.test", "", nil, nil,
			[]string{"look in a.test.", "hold for a.test.", "look in a.test.", "publish in a.test."}, nil},
		{"again", "a.test", "a.test.", nil, nil, []string{"look in a.test.", "publish in a.test."}, nil},
		{"elsewhere", "b.test", "a.test.", nil, nil,
			[]string{"withdraw from a.test.", "let go", "look in b.test.", "hold for b.test.", "look in b.test.", "publish in b.test."}, nil},
		{"nowhere", "", "a.test.", nil, nil, []string{"withdraw from a.test.", "let go"}, nil},
		{"the name is another's: it is not held for", "a.test", "", map[string]zone.Entry{"a.test.": foreign}, nil,
			[]string{"look in a.test."}, zone.ErrTaken},
		{"no server to withdraw from: it stays held", "", "a.test.", nil, map[string]error{"withdraw from a.test.": down},
			[]string{"withdraw from a.test."}, down},
		{"somebody else is faster, each time", "a.test", "a.test.", nil, map[string]error{"publish in a.test.": zone.ErrConflict},
			[]string{"look in a.test.", "publish in a.test.", "look in a.test.", "publish in a.test.", "look in a.test.", "publish in a.test."},
			zone.ErrConflict},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &script{held: test.inZone, fails: test.fails}
			if s.held == nil {
				s.held = map[string]zone.Entry{}
			}
			f := web(test.wants, test.held)
			outcome, err := New(s).Publish(t.Context(), f, decided(f), s.setHold)
			if err != nil || !errors.Is(outcome.Failure, test.failure) {
				t.Errorf("failure %v, error %v; want %v, none", outcome.Failure, err, test.failure)
			}
			if !slices.Equal(s.asked, test.asked) {
				t.Errorf("asked to\n%q, not\n%q", s.asked, test.asked)
			}
		})
	}
}

// What the API server refuses is an error, and nothing follows it.
func TestHoldIsRefused(t *testing.T) {
	conflict := errors.New("conflict")
	s := &script{held: map[string]zone.Entry{}, fails: map[string]error{"hold for a.test.": conflict}}
	f := web("a.test", "")
	if _, err := New(s).Publish(t.Context(), f, decided(f), s.setHold); !errors.Is(err, conflict) {
		t.Errorf("error %v, want %v", err, conflict)
	}
	if want := []string{"look in a.test.", "hold for a.test."}; !slices.Equal(s.asked, want) {
		t.Errorf("asked to %q, not %q", s.asked, want)
	}
}

// A server that fails is left alone for longer each time, unless the Fleet has changed since.
func TestBackoff(t *testing.T) {
	down := errors.New("down")
	s := &script{held: map[string]zone.Entry{}, fails: map[string]error{"look in a.test.": down}}
	p := New(s)
	now := time.Unix(0, 0)
	p.now = func() time.Time { return now }
	f := web("a.test", "a.test.")
	attempt := func() (asked bool, wait time.Duration) {
		t.Helper()
		before := len(s.asked)
		outcome, err := p.Publish(t.Context(), f, decided(f), s.setHold)
		if err != nil || !errors.Is(outcome.Failure, down) {
			t.Fatalf("failure %v, error %v", outcome.Failure, err)
		}
		return len(s.asked) > before, outcome.Again
	}
	_, first := attempt()
	if asked, wait := attempt(); asked || wait != first {
		t.Errorf("at once: asked %t, and again after %s; want not to, and %s", asked, wait, first)
	}
	now = now.Add(first)
	if asked, second := attempt(); !asked || second <= first {
		t.Errorf("in time: asked %t, and again after %s; want to, and longer than %s", asked, second, first)
	}
	f.Generation++
	if asked, _ := attempt(); !asked {
		t.Error("a Fleet that was changed waits")
	}
	delete(s.fails, "look in a.test.")
	now = now.Add(time.Minute)
	if outcome, err := p.Publish(t.Context(), f, decided(f), s.setHold); err != nil || outcome.Failure != nil {
		t.Errorf("failure %v, error %v, when the server is back", outcome.Failure, err)
	}
}

func TestFromFlags(t *testing.T) {
	for _, test := range []struct{ server, key, says string }{
		{"", "", ""},
		{"127.0.0.1:53", "", ""},
		{"", "key", "--dns-tsig-file is of no use without --dns-server"},
		{"127.0.0.1", "", "--dns-server must be host:port"},
		{"127.0.0.1:", "", "--dns-server must be host:port"},
		{"127.0.0.1:99999", "", "--dns-server must be host:port"},
		{":53", "", "--dns-server must be host:port"},
		{"127.0.0.1:53", "/nonexistent/key", "--dns-tsig-file"},
	} {
		_, err := FromFlags(test.server, test.key, func() error { return nil })
		if err == nil && test.says != "" || err != nil && (test.says == "" || !strings.HasPrefix(err.Error(), test.says)) {
			t.Errorf("%q, %q: %v; want %q", test.server, test.key, err, test.says)
		}
	}
}
