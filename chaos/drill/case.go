package drill

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Case is a scenario of its own, in which one thing goes wrong in one way.
type Case struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Replicas is how many processes of the operator there are; 1 unless it is given.
	Replicas int `json:"replicas,omitempty"`
	// LeaderElection has them contend for a Lease. Without it each works as if it were alone.
	LeaderElection bool `json:"leaderElection,omitempty"`
	// Repeat is how many runs there are of it; 1 unless it is given.
	Repeat int `json:"repeat,omitempty"`
	// Scenario follows the plan's Setup.
	Scenario []Step `json:"scenario"`
	// HandOver measures how long it takes until another replica leads, and works.
	HandOver *HandOverDefinition `json:"handOver,omitempty"`
	// Expect must hold at the end.
	Expect []Invariant `json:"expect,omitempty"`
	// Finds are the oracles that must object: a case can show what goes wrong where the operator cannot help it.
	Finds []string `json:"finds,omitempty"`
}

// HandOverDefinition says from when on a hand-over is measured, and within which time, in seconds, it must come out by the
// rules of leader election.
type HandOverDefinition struct {
	// After names the step that takes the leader away.
	After string `json:"after"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Measure is a number that tells two cases apart.
type Measure struct {
	Name string `json:"name"`
	// Value is an integer, evaluated at the end of a case.
	Value string `json:"value"`
}

// Lease is what replicas are told of leader election, as in client-go's configuration of it
// (k8s.io/client-go@v0.37.2/tools/leaderelection/leaderelection.go:116#LeaderElectionConfig).
type Lease struct {
	Duration      metav1.Duration `json:"duration"`
	RenewDeadline metav1.Duration `json:"renewDeadline"`
	RetryPeriod   metav1.Duration `json:"retryPeriod"`
}

// defaultLease is what kube-controller-manager and controller-runtime do unless they are told otherwise.
var defaultLease = Lease{
	Duration:      metav1.Duration{Duration: 15 * time.Second},
	RenewDeadline: metav1.Duration{Duration: 10 * time.Second},
	RetryPeriod:   metav1.Duration{Duration: 2 * time.Second},
}

// jitter is by how much client-go lengthens a wait for a Lease at the most, as a factor of the retry period
// (k8s.io/client-go@v0.37.2/tools/leaderelection/leaderelection.go:72 `JitterFactor = 1.2`).
const jitter = 1.2

// values are a lease's times, in seconds, as expressions see them.
func (l Lease) values() map[string]any {
	return map[string]any{
		"duration":      l.Duration.Seconds(),
		"renewDeadline": l.RenewDeadline.Seconds(),
		"retryPeriod":   l.RetryPeriod.Seconds(),
		"longestWait":   l.RetryPeriod.Seconds() * (1 + jitter),
	}
}

// steps are all that a case goes through.
func (d *Definition) steps(c Case) []Step { return slices.Concat(d.Setup, c.Scenario) }

// stepFields name the steps of a case in errors.
func (d *Definition) stepFields(field string) func(i int) string {
	return func(i int) string {
		if i < len(d.Setup) {
			return indexed("setup")(i)
		}
		return indexed(field + ".scenario")(i - len(d.Setup))
	}
}

// complete fills in what a case leaves out.
func (p *Plan) complete() {
	for i := range p.Cases {
		p.Cases[i].Replicas = max(1, p.Cases[i].Replicas)
		p.Cases[i].Repeat = max(1, p.Cases[i].Repeat)
	}
	if p.Lease == nil {
		p.Lease = &defaultLease
	}
}

func (d *Definition) validateCases() error {
	seen := map[string]bool{}
	for i, c := range d.Cases {
		field := fmt.Sprintf("cases[%d]", i)
		steps := d.steps(c)
		switch {
		case c.Name == "" || strings.ContainsAny(c.Name, ":#,; "):
			return fmt.Errorf("%s.name: %q must be a name without spaces or any of : # ; and comma", field, c.Name)
		case seen[c.Name]:
			return fmt.Errorf("%s.name: %q is used twice", field, c.Name)
		case len(steps) == 0:
			return fmt.Errorf("%s.scenario: list at least one step", field)
		}
		seen[c.Name] = true
		if err := validateSteps(d.stepFields(field), steps, d.Observe, true); err != nil {
			return err
		}
		if err := checkEarlierSteps(d.stepFields(field), steps); err != nil {
			return err
		}
		for j, step := range c.Scenario {
			if n, err := strconv.Atoi(step.Replica); err == nil && n > c.Replicas {
				return fmt.Errorf("%s.scenario[%d].replica: there is no replica %d, only %d", field, j, n, c.Replicas)
			}
		}
		for _, oracle := range c.Finds {
			if !slices.Contains(Oracles, oracle) {
				return fmt.Errorf("%s.finds: %q is none of %s", field, oracle, strings.Join(Oracles, ", "))
			}
		}
		if err := checkNames(field+".expect", c.Expect, func(i Invariant) string { return i.Name }); err != nil {
			return err
		}
		if c.HandOver != nil {
			if err := c.HandOver.validate(c); err != nil {
				return fmt.Errorf("%s.handOver.%w", field, err)
			}
		}
	}
	return nil
}

func (h HandOverDefinition) validate(c Case) error {
	switch {
	case !c.LeaderElection:
		return errors.New("after: nothing is handed over without leaderElection")
	case !slices.ContainsFunc(c.Scenario, func(s Step) bool { return s.Name == h.After }):
		return fmt.Errorf("after: %q must be the name of a step of the case", h.After)
	case h.From == "" || h.To == "":
		return errors.New("from, to: give both, as expressions over lease")
	}
	return nil
}
