package drill

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/chaos/proxy"
)

// Disturbance is what befalls the operator or its view of the API server from a step on. One of its fields is set.
type Disturbance struct {
	// Hold keeps back what the watches of a resource, or of one object of it, would deliver. Release lets it pass; Expire
	// discards it and ends the watches with 410, as an API server does that has forgotten where they were.
	Hold    *Watched `json:"hold,omitempty"`
	Release *Watched `json:"release,omitempty"`
	Expire  *Watched `json:"expire,omitempty"`
	// Skip discards events until Resume: of what happens meanwhile, only a later state is seen.
	Skip   *Watched `json:"skip,omitempty"`
	Resume *Watched `json:"resume,omitempty"`
	// Restart kills the operator with SIGKILL and starts it again. CatchUp ends the past that it was started into.
	Restart *Restart `json:"restart,omitempty"`
	CatchUp bool     `json:"catchUp,omitempty"`
	// Signal is sent to the operator's process.
	Signal Signal `json:"signal,omitempty"`
	// Partition cuts the operator off from everything, DNS included, or from a part of what the API server has.
	Partition Partition `json:"partition,omitempty"`
	// Refuse answers all requests of a kind with a status; Delay sends them on later.
	Refuse *Refusal `json:"refuse,omitempty"`
	Delay  *Delay   `json:"delay,omitempty"`
	// DNS says what the zone's server does: nothing (down), answer updates with SERVFAIL (failing), or what it should (up).
	DNS string `json:"dns,omitempty"`
	// Heal ends partitions, refusals and delays.
	Heal bool `json:"heal,omitempty"`

	// Replica says which of them it befalls: leader, standby, or a number from 1; all when it is empty.
	Replica string `json:"replica,omitempty"`
}

// Watched is what watches deliver of a resource, or of one of its objects.
type Watched struct {
	// Resource is a plural, such as pods.
	Resource string `json:"resource"`
	Object   string `json:"object,omitempty"`
}

// Restart says what a restarted operator finds.
type Restart struct {
	// AsOf names an earlier step: until it catches up, the operator sees what the API server held when the change which that
	// step made had just been committed. Empty for the present.
	AsOf string `json:"asOf,omitempty"`
}

// Signal is the name of a signal to a process.
type Signal string

// The signals there are.
const (
	Terminate Signal = "TERM"
	Kill      Signal = "KILL"
	Stop      Signal = "STOP"
	Continue  Signal = "CONT"
)

// Partition says which requests do not get through.
type Partition string

// The partitions there are.
const (
	All          Partition = "all"
	Leases       Partition = "leases"
	AllButLeases Partition = "all but leases"
)

// Refusal is an HTTP status for every request of a kind.
type Refusal struct {
	// Requests is a kind of request, such as POST pods.
	Requests proxy.Kind `json:"requests"`
	Status   int        `json:"status"`
}

// Delay is how much later every request of a kind is sent on.
type Delay struct {
	// Requests is a kind of request, such as POST pods.
	Requests proxy.Kind      `json:"requests"`
	By       metav1.Duration `json:"by"`
}

// What the zone's server does.
const (
	dnsDown    = "down"
	dnsFailing = "failing"
	dnsUp      = "up"
)

// Whom a disturbance befalls, beside a replica by its number.
const (
	leader  = "leader"
	standby = "standby"
)

func (d Disturbance) count() int {
	return count(d.Hold != nil, d.Release != nil, d.Expire != nil, d.Skip != nil, d.Resume != nil, d.Restart != nil,
		d.CatchUp, d.Signal != "", d.Partition != "", d.Refuse != nil, d.Delay != nil, d.DNS != "", d.Heal)
}

// what says what is done, and not to whom.
func (d Disturbance) what() string {
	switch {
	case d.Hold != nil:
		return "hold " + d.Hold.String()
	case d.Release != nil:
		return "release " + d.Release.String()
	case d.Expire != nil:
		return "expire " + d.Expire.String()
	case d.Skip != nil:
		return "skip " + d.Skip.String()
	case d.Resume != nil:
		return "resume " + d.Resume.String()
	case d.Restart != nil && d.Restart.AsOf != "":
		return "restart as of " + d.Restart.AsOf
	case d.Restart != nil:
		return "restart"
	case d.CatchUp:
		return "catch up"
	case d.Signal != "":
		return "SIG" + string(d.Signal)
	case d.Partition != "":
		return "partition from " + string(d.Partition)
	case d.Refuse != nil:
		return fmt.Sprintf("refuse %s with %d", d.Refuse.Requests, d.Refuse.Status)
	case d.Delay != nil:
		return fmt.Sprintf("delay %s by %s", d.Delay.Requests, d.Delay.By.Duration)
	case d.DNS != "":
		return "DNS " + d.DNS
	case d.Heal:
		return "heal"
	}
	return ""
}

func (w Watched) String() string { return strings.TrimRight("watch "+w.Resource+"/"+w.Object, "/") }

// validate checks what is set. Its errors begin with the field.
func (d Disturbance) validate(observed []string) error {
	for field, watched := range map[string]*Watched{
		"hold": d.Hold, "release": d.Release, "expire": d.Expire, "skip": d.Skip, "resume": d.Resume,
	} {
		if watched != nil && !slices.ContainsFunc(observed, func(name string) bool { return plural(name) == watched.Resource }) {
			return fmt.Errorf("%s.resource: %q must be the plural of one of those under observe", field, watched.Resource)
		}
	}
	if n, err := strconv.Atoi(d.Replica); d.Replica != "" && d.Replica != leader && d.Replica != standby && (err != nil || n < 1) {
		return fmt.Errorf("replica: %q must be leader, standby or the number of a replica", d.Replica)
	}
	switch {
	case d.Replica != "" && d.count() == 0:
		return errors.New("replica: says whom a disturbance befalls, and this step has none")
	case d.Signal != "" && !slices.Contains([]Signal{Terminate, Kill, Stop, Continue}, d.Signal):
		return fmt.Errorf("signal: %q must be TERM, KILL, STOP or CONT", d.Signal)
	case d.Partition != "" && !slices.Contains([]Partition{All, Leases, AllButLeases}, d.Partition):
		return fmt.Errorf("partition: %q must be all, leases or all but leases", d.Partition)
	case d.DNS != "" && !slices.Contains([]string{dnsDown, dnsFailing, dnsUp}, d.DNS):
		return fmt.Errorf("dns: %q must be down, failing or up", d.DNS)
	case d.Refuse != nil:
		return d.Refuse.validate()
	case d.Delay != nil:
		return d.Delay.validate()
	}
	return nil
}

func (r Refusal) validate() error {
	if _, err := proxy.ParseKind(string(r.Requests)); err != nil {
		return fmt.Errorf("refuse.requests: %w", err)
	}
	if r.Status < 400 || r.Status > 599 {
		return fmt.Errorf("refuse.status: must be an HTTP status from 400 to 599, not %d", r.Status)
	}
	return nil
}

func (d Delay) validate() error {
	if _, err := proxy.ParseKind(string(d.Requests)); err != nil {
		return fmt.Errorf("delay.requests: %w", err)
	}
	if d.By.Duration <= 0 {
		return errors.New("delay.by: must be a time such as 300ms")
	}
	return nil
}

// checkEarlierSteps reports a step whose restart goes back to one that is not before it.
func checkEarlierSteps(fieldOf func(i int) string, steps []Step) error {
	var earlier []string
	for i, step := range steps {
		if r := step.Restart; r != nil && r.AsOf != "" && !slices.Contains(earlier, r.AsOf) {
			return fmt.Errorf("%s.restart.asOf: %q must be the name of an earlier step: %s", fieldOf(i), r.AsOf, strings.Join(earlier, ", "))
		}
		earlier = append(earlier, step.Name)
	}
	return nil
}
