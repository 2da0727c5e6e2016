package drill

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const smallCases = `
name: small
observe: [pods, fleets.fleet.twinloop.example.com]
variables: {one: "1"}
setup:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}}
  await: pods.size() == 1
measures:
- name: pods left
  value: pods.size()
cases:
- name: once
  scenario:
  - name: hold
    hold: {resource: pods}
  - name: restart
    restart: {asOf: create}
  - name: wait
    for: 1s
  - name: refuse
    refuse: {requests: POST pods, status: 500}
  - name: delay
    delay: {requests: POST pods, by: 50ms}
  - name: without dns
    dns: down
  expect:
  - name: a pod is left
    holds: measures['pods left'] == 1
  finds: [leaks]
- name: often
  replicas: 2
  leaderElection: true
  repeat: 3
  scenario:
  - name: strike
    signal: KILL
    replica: leader
  - name: cut off
    partition: all but leases
    replica: "2"
  handOver: {after: strike, from: lease.duration, to: lease.duration + 1.0}
`

func parse(t *testing.T, text string) *Definition {
	t.Helper()
	definition, err := Parse("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return definition
}

// requireBad replaces a part of a valid definition, and wants one line about its file that names the field.
func requireBad(t *testing.T, valid, replace, with, want string) {
	t.Helper()
	if strings.Count(valid, replace) != 1 {
		t.Fatalf("the definition contains %q %d times", replace, strings.Count(valid, replace))
	}
	_, err := Parse("small.yaml", []byte(strings.Replace(valid, replace, with, 1)))
	if err == nil || !strings.HasPrefix(err.Error(), "small.yaml: "+want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got  %v\nwant one line that begins with\n     small.yaml: %s", err, want)
	}
}

func TestBadCaseNamesTheField(t *testing.T) {
	parse(t, smallCases)
	for _, test := range []struct{ name, replace, with, want string }{
		{"unknown field", "replicas: 2", "replicaz: 2", `unknown field "cases[1].replicaz"`},
		{"unknown field of a step", "replica: leader", "whom: leader", `unknown field "cases[1].scenario[0].whom"`},
		{"unknown field of a hold", "hold: {resource: pods}", "hold: {resources: pods}", `unknown field "cases[0].scenario[0].hold.resources"`},
		{"unknown field of a hand-over", "after: strike", "afer: strike", `unknown field "cases[1].handOver.afer"`},
		{"unknown field of a lease", "setup:", "lease: {length: 15s}\nsetup:", `unknown field "lease.length"`},
		{"no duration", "for: 1s", "for: 1", "cases[0].scenario[2].for: give a duration such as 5s"},
		{"no name", "name: once", "name: ''", `cases[0].name: "" must be a name without spaces`},
		{"name of two words", "name: once", "name: only once", `cases[0].name: "only once" must be a name without spaces`},
		{"two cases of a name", "name: often", "name: once", `cases[1].name: "once" is used twice`},

		{"step with two actions", "hold: {resource: pods}", "hold: {resource: pods}\n    dns: up",
			"cases[0].scenario[0].name: this step does several things"},
		{"step with a user's action and a disturbance", "hold: {resource: pods}", "hold: {resource: pods}\n    delete: {resource: pods, object: a}",
			"cases[0].scenario[0].name: this step does several things"},
		{"step that does nothing", "for: 1s", "count: '1'", "cases[0].scenario[2].name: a step that does nothing must wait: give await or for"},
		{"step of the setup's name", "name: hold", "name: create", `cases[0].scenario[0].name: "create" is used twice`},
		{"step that is called as the time after it", "name: wait", "name: silence", `cases[0].scenario[2].name: "silence" is what the time is called`},
		{"step that is called as after a restart", "name: wait", "name: hold again", `cases[0].scenario[2].name: "hold again" must not end in again`},

		{"held resource that is not observed", "hold: {resource: pods}", "hold: {resource: secrets}",
			`cases[0].scenario[0].hold.resource: "secrets" must be the plural of one of those under observe`},
		{"held resource with its group", "hold: {resource: pods}", "hold: {resource: fleets.fleet.twinloop.example.com}",
			`cases[0].scenario[0].hold.resource: "fleets.fleet.twinloop.example.com" must be the plural of`},
		{"as of a step that is not before", "asOf: create", "asOf: wait",
			`cases[0].scenario[1].restart.asOf: "wait" must be the name of an earlier step: create, hold`},
		{"as of itself", "asOf: create", "asOf: restart", `cases[0].scenario[1].restart.asOf: "restart" must be the name of an earlier step`},
		{"refusal of nothing", "requests: POST pods, status", "requests: pods, status", `cases[0].scenario[3].refuse.requests: request kind "pods": want it to begin with one of`},
		{"refusal that is a success", "status: 500", "status: 200", "cases[0].scenario[3].refuse.status: must be an HTTP status from 400 to 599, not 200"},
		{"delay of nothing", "requests: POST pods, by", "requests: POST, by", `cases[0].scenario[4].delay.requests: request kind "POST": want one resource`},
		{"delay of no time", "by: 50ms", "by: 0s", "cases[0].scenario[4].delay.by: must be a time such as 300ms"},
		{"DNS that is neither up nor down", "dns: down", "dns: 'off'", `cases[0].scenario[5].dns: "off" must be down, failing or up`},
		{"unknown signal", "signal: KILL", "signal: SIGKILL", `cases[1].scenario[0].signal: "SIGKILL" must be TERM, KILL, STOP or CONT`},
		{"unknown partition", "partition: all but leases", "partition: dns", `cases[1].scenario[1].partition: "dns" must be all, leases or all but leases`},
		{"replica that there is not", `replica: "2"`, `replica: "3"`, "cases[1].scenario[1].replica: there is no replica 3, only 2"},
		{"replica of number 0", `replica: "2"`, `replica: "0"`, `cases[1].scenario[1].replica: "0" must be leader, standby or the number of a replica`},
		{"replica by a wrong word", "replica: leader", "replica: master", `cases[1].scenario[0].replica: "master" must be leader, standby or the number of a replica`},
		{"replica whom nothing befalls", "for: 1s", "for: 1s\n    replica: leader", "cases[0].scenario[2].replica: says whom a disturbance befalls, and this step has none"},

		{"no such oracle", "finds: [leaks]", "finds: [leak]", `cases[0].finds: "leak" is none of converges, final state, safe, leaks, health`},
		{"hand-over after no step", "after: strike", "after: stroke", `cases[1].handOver.after: "stroke" must be the name of a step of the case`},
		{"hand-over without anybody to take over", "leaderElection: true", "", "cases[1].handOver.after: nothing is handed over without leaderElection"},
		{"hand-over without a bound", "from: lease.duration, ", "", "cases[1].handOver.from, to: give both, as expressions over lease"},
		{"hand-over by whole seconds", "from: lease.duration,", "from: '1',", "cases[1].handOver.from: must yield double, not int"},
		{"hand-over with an error", "to: lease.duration + 1.0", "to: lease.duration + leese", "cases[1].handOver.to: line 1, column 18: undeclared reference to 'leese'"},
		{"hand-over by a time that there is not", "to: lease.duration + 1.0", "to: lease.durtion",
			"cases[1].handOver.to: there is no lease.durtion, only duration, longestWait, renewDeadline, retryPeriod"},

		{"expectation without a name", "- name: a pod is left", "- name: ''", "cases[0].expect[0].name: give it one"},
		{"two expectations of a name", "  finds: [leaks]", "  - {name: a pod is left, holds: 'true'}\n  finds: [leaks]", `cases[0].expect[1].name: "a pod is left" is used twice`},
		{"expectation with an error", "measures['pods left'] == 1", "podz.size() == 1", "cases[0].expect[0].holds: line 1, column 1: undeclared reference to 'podz'"},
		{"expectation over two lines with an error", "holds: measures['pods left'] == 1", "holds: |-\n      true &&\n      podz.size() == 1",
			"cases[0].expect[0].holds: line 2, column 1: undeclared reference to 'podz'"},
		{"expectation that is a number", "measures['pods left'] == 1", "measures['pods left']", "cases[0].expect[0].holds: must yield bool, not int"},
		{"measure that there is not", "measures['pods left']", "measures['pods lef']", "cases[0].expect[0].holds: there is no measures.pods lef, only pods left"},
		{"variable that there is not, by an index", "measures['pods left']", "variables['two']", "cases[0].expect[0].holds: there is no variables.two, only one"},
		{"expectation that is not given", "holds: measures['pods left'] == 1", "holds: ''", "cases[0].expect[0].holds: give an expression"},

		{"measure with an error", "value: pods.size()", "value: pods.siz()", "measures[0].value: line 1, column 9: undeclared reference to 'siz'"},
		{"measure that is no number", "value: pods.size()", "value: \"'many'\"", "measures[0].value: must yield int, not string"},
		{"measure without a name", "- name: pods left", "- name: ''", "measures[0].name: give it one"},
		{"two measures of a name", "cases:", "- {name: pods left, value: '1'}\ncases:", `measures[1].name: "pods left" is used twice`},
	} {
		t.Run(test.name, func(t *testing.T) { requireBad(t, smallCases, test.replace, test.with, test.want) })
	}
}

// TestStepsOfASetupNameItInErrors although each case begins with them.
func TestStepsOfASetupNameItInErrors(t *testing.T) {
	for _, test := range []struct{ replace, with, want string }{
		{"kind: Pod", "kind: Pot", `setup[0].apply.kind: there is no kind "Pot"`},
		{"await: pods.size() == 1", "await: podz.size() == 1", "setup[0].await: line 1, column 1: undeclared reference to 'podz'"},
		{"name: create", "name: ''", "setup[0].name"},
	} {
		requireBad(t, smallCases, test.replace, test.with, test.want)
	}
}

func TestCaseWithoutSteps(t *testing.T) {
	const none = "{name: small, observe: [pods], cases: [{name: once}]}"
	requireBad(t, none, "once", "twice", "cases[0].scenario: list at least one step")
}

func TestDisturbanceOutsideACase(t *testing.T) {
	for _, disturbance := range []string{"hold: {resource: pods}", "signal: KILL", "partition: all", "restart: {}", "heal: true", "dns: down"} {
		requireBad(t, small, "delete: {resource: pods, object: a}", disturbance,
			"scenario[1].name: this step disturbs the operator, which only the steps of cases do")
	}
}

func TestWhatACaseLeavesOut(t *testing.T) {
	definition := parse(t, smallCases)
	once, often := definition.Cases[0], definition.Cases[1]
	if once.Replicas != 1 || once.Repeat != 1 || often.Replicas != 2 || often.Repeat != 3 {
		t.Errorf("once: %d of %d replicas, often: %d of %d", once.Repeat, once.Replicas, often.Repeat, often.Replicas)
	}
	if *definition.Lease != defaultLease {
		t.Errorf("lease %+v", definition.Lease)
	}
	var names []string
	for _, step := range definition.steps(often) {
		names = append(names, step.Name)
	}
	if want := []string{"create", "strike", "cut off"}; !slices.Equal(names, want) {
		t.Errorf("the steps are %q, want %q", names, want)
	}
}

// TestLeaseInExpressions counts a standby's longest wait as client-go does: a retry period, lengthened by up to 1.2 of it.
func TestLeaseInExpressions(t *testing.T) {
	lease := defaultLease
	lease.RetryPeriod.Duration = 2 * time.Second
	want := map[string]any{"duration": 15.0, "renewDeadline": 10.0, "retryPeriod": 2.0, "longestWait": 4.4}
	if got := lease.values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOldNamesOfOracles are read, and a note says the new ones.
func TestOldNamesOfOracles(t *testing.T) {
	d := parse(t, strings.Replace(smallCases, "finds: [leaks]", "finds: [leaks, same place, honest]", 1))
	if got, want := d.Cases[0].Finds, []string{Leaks, FinalState, Health}; !slices.Equal(got, want) {
		t.Errorf("read as %q, want %q", got, want)
	}
	if len(d.Renamed) != 2 || d.Renamed[1] != `cases[0].finds: write "health": "honest" will not be read any more in the next release` {
		t.Errorf("notes %q", d.Renamed)
	}
	if d := parse(t, smallCases); d.Renamed != nil {
		t.Errorf("notes of new names: %q", d.Renamed)
	}
}
