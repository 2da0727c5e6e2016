package minictl

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Parameters are what a scenario can be run with.
type Parameters struct {
	Replicas        int32
	Surge           intstr.IntOrString
	Unavailable     intstr.IntOrString
	ReadyAfter      int
	MinReadySeconds int32
	Recreate        bool
	Seed            int64
	// Ticks is how many ticks a run may take.
	Ticks int
}

// A Scenario shows one mechanism at work.
type Scenario struct {
	Name  string
	Short string
	// Defaults are the parameters of a run that asks for nothing else.
	Defaults Parameters
	// Heeds are the flags that make a difference.
	Heeds []string

	play func(*Run)
}

// The flags, by what they are about.
var (
	everyFlags   = []string{"replicas", "ready-after", "seed", "ticks"}
	boundFlags   = append(slices.Clip(everyFlags), "surge", "unavailable")
	rolloutFlags = append(slices.Clip(boundFlags), "min-ready-seconds")
	rollingFlags = append(slices.Clip(rolloutFlags), "recreate")
)

func defaults(change func(*Parameters)) Parameters {
	p := Parameters{
		Replicas: 3, Surge: intstr.FromInt32(1), Unavailable: intstr.FromInt32(0), ReadyAfter: 2, Seed: 1, Ticks: 200,
	}
	change(&p)
	return p
}

func same(*Parameters)        {}
func recreate(p *Parameters)  { p.Recreate = true }
func minReady(p *Parameters)  { p.MinReadySeconds = 3 }
func tenOfThem(p *Parameters) { p.Replicas = 10 }

// Scenarios are all there are, in the order in which to read them.
func Scenarios() []Scenario {
	return []Scenario{
		{"self-heal", "Pods are deleted and evicted, and the ReplicaSet replaces them.",
			defaults(same), everyFlags, playSelfHeal},
		{"rolling", "A new image rolls out within the bounds of maxSurge and maxUnavailable.",
			defaults(same), rollingFlags, playRolling},
		{"rollback", "A broken image stalls and exceeds its deadline; an undo brings the old revision back.",
			defaults(same), rolloutFlags, playRollback},
		{"conflict", "A stale write is refused with 409, and a controller that lost a race tries again.",
			defaults(same), everyFlags, playConflict},
		{"quarantine", "A relabelled pod is released and replaced, and adopted when its label is back.",
			defaults(same), everyFlags, playQuarantine},
		{"gc", "What a deleted owner owned is collected one level a pass, or lives on as an orphan.",
			defaults(same), everyFlags, playGC},
		{"resync", "News is lost on the way to the handler, and the next resync makes up for it.",
			defaults(same), everyFlags, playResync},
		{"relist", "A watch is too old to go on from, and a new list tells what was missed.",
			defaults(same), everyFlags, playRelist},
		{"recreate", "Every old pod goes before the first new one comes.",
			defaults(recreate), everyFlags, playRolling},
		{"min-ready", "A new pod counts only when it has been ready for some time without a break.",
			defaults(minReady), rolloutFlags, playMinReady},
		{"over-create", "A controller reads from a cache that lags, and does its work twice.",
			defaults(same), everyFlags, playOverCreate},
		{"expectations", "The same cache, and a controller that waits to see what it did; then news that never comes.",
			defaults(same), everyFlags, playExpectations},
		{"missed-events", "A supervisor restarts and stays blind to what died meanwhile; a controller lists.",
			defaults(tenOfThem), everyFlags, playMissedEvents},
		{"two-supervisors", "Two supervisors hear of one death and start two pods; two controllers come back to the number.",
			defaults(tenOfThem), everyFlags, playTwoSupervisors},
		{"all-at-once", "A supervisor replaces every pod with a broken one; a Deployment stops at the first.",
			defaults(tenOfThem), rolloutFlags, playAllAtOnce},
	}
}
