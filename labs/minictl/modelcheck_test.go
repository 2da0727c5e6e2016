package minictl

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

var userActs = flag.Int("acts", 1, "how many things the user does in TestModelCheck, at any points between the other steps")

// mostTicksToRest is how many ticks may pass before nothing happens any more.
const mostTicksToRest = 60

// A moment is a state that the search has come to, and how.
type moment struct {
	*Cluster
	// promised is set once enough pods are available and the statuses tell the truth about them. From then on, until the
	// user acts, enough remain.
	promised bool
	by       step
	from     *moment
	depth    int
}

// Every order in which the controllers, the kubelet, the garbage collector and a user can take turns keeps the rules,
// and wherever it has led, the controllers bring the cluster to rest as wished.
//
// The search is breadth first, and goes to the end: it comes to every state that there is with so many acts of the
// user. One turn is one pass for one key, so what is not looked at is a step in the middle of another's pass; conflicts
// have tests of their own.
func TestModelCheck(t *testing.T) {
	minReady := deployment(2, "1", "0")
	minReady.Spec.MinReadySeconds = 2
	recreate := deployment(2, "1", "0")
	recreate.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	for _, model := range []struct {
		name string
		*appsv1.Deployment
	}{
		{"recreate 2", recreate},
		{"surge 1 and unavailable 0 of 2", deployment(2, "1", "0")},
		{"surge 0 and unavailable 1 of 2", deployment(2, "0", "1")},
		{"surge 1 and unavailable 1 of 2", deployment(2, "1", "1")},
		{"surge 1 and unavailable 0 of 2, available after 2", minReady},
	} {
		t.Run(model.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			f := explore(t, model.Deployment, *userActs)
			t.Logf("%d acts of the user: %d states, %d steps, depth %d; at rest after %d ticks at most; %d pods at most; %s",
				*userActs, f.states, f.steps, f.depth, f.ticks, f.pods, time.Since(began).Round(time.Millisecond))
		})
		if testing.Short() {
			break
		}
	}
}

// findings are how far a search went.
type findings struct{ states, steps, depth, ticks, pods int }

type search struct {
	testing.TB
	findings
	seen map[seen]bool
	// rest has, for each state, how many ticks there are from it to rest.
	rest map[fingerprint]int
}

// seen is what makes two moments the same. One with as many acts of the user left, or more, came first.
type seen struct {
	fingerprint
	promised bool
}

func explore(t testing.TB, d *appsv1.Deployment, acts int) findings {
	s := &search{TB: t, seen: map[seen]bool{}, rest: map[fingerprint]int{}}
	now := s.arrive(nil, s.begin(d))
	for act := 0; ; act++ {
		var next []*moment
		for ; len(now) > 0; now = now[1:] {
			for _, by := range systemSteps(now[0].Cluster) {
				now = s.arrive(now, s.take(now[0], by))
			}
			if act < acts {
				for _, by := range userSteps(now[0].Cluster) {
					next = s.arrive(next, s.take(now[0], by))
				}
			}
			now[0].Cluster = nil // only the way is still of use
		}
		if act == acts {
			return s.findings
		}
		now = next
	}
}

// begin is a cluster at rest, in which the Deployment has rolled out.
func (s *search) begin(d *appsv1.Deployment) *moment {
	c := NewCluster(1, 1)
	d.Spec.ProgressDeadlineSeconds = ptr.To[int32](math.MaxInt32) // or else the time since the last progress matters too
	must[*appsv1.Deployment](s)(create(c.Store, d))
	for range mostTicksToRest {
		c.Tick()
	}
	hearAll(c)
	return &moment{Cluster: c, by: step{user, "create the Deployment, and wait", nil}, promised: true}
}

// take is where a step leads to; nil if nowhere.
func (s *search) take(from *moment, by step) *moment {
	s.steps++
	to := &moment{Cluster: branch(from.Cluster), by: by, from: from, depth: from.depth + 1}
	if err := by.take(to.Cluster); err != nil {
		if by.actor == user {
			return nil
		}
		s.fail(to, err.Error())
	}
	hearAll(to.Cluster)
	if broken := brokenRule(from.Cluster, to.Cluster); broken != "" {
		s.fail(to, broken)
	}
	kept := hasEnough(to.Cluster)
	if to.promised = from.promised && by.actor != user; to.promised && !kept {
		s.fail(to, "too few pods are available, though there were enough, and nobody but the controllers acted")
	}
	to.promised = to.promised || kept && isTruthful(to.Cluster)
	return to
}

// arrive adds a moment to those to go on from, unless it was seen.
func (s *search) arrive(at []*moment, m *moment) []*moment {
	if m == nil {
		return at
	}
	state := fingerprintOf(m.Cluster)
	if s.seen[seen{state, m.promised}] {
		return at
	}
	s.seen[seen{state, m.promised}] = true
	s.states, s.depth = s.states+1, max(s.depth, m.depth)
	s.pods = max(s.pods, len(stored[*corev1.Pod](m.Cluster)))
	s.ticks = max(s.ticks, s.ticksToRest(m, m.Cluster, state, 0))
	return append(at, m)
}

// ticksToRest lets everyone take turns, tick by tick, until nothing happens any more. Where two ways meet, the rest of
// the second is known.
func (s *search) ticksToRest(m *moment, c *Cluster, state fingerprint, passed int) int {
	if ticks, known := s.rest[state]; known {
		return ticks
	}
	if passed > mostTicksToRest {
		s.fail(m, fmt.Sprintf("from here there is no rest within %d ticks", mostTicksToRest))
	}
	after := branch(c)
	after.Tick()
	hearAll(after)
	ticks := 0
	if next := fingerprintOf(after); next != state {
		ticks = 1 + s.ticksToRest(m, after, next, passed+1)
	} else if wrong := unfinished(c); wrong != "" {
		s.fail(m, "from here it comes to rest, and "+wrong)
	}
	s.rest[state] = ticks
	return ticks
}

func (s *search) fail(m *moment, why string) {
	s.Helper()
	var way []string
	for at := m; at != nil; at = at.from {
		way = append(way, at.by.String())
	}
	slices.Reverse(way)
	s.Fatalf("%s\n\t%s\n%s", why, strings.Join(way, "\n\t"), describeState(m.Cluster))
}
