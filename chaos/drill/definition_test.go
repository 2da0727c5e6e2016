package drill

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func TestDrillsOfTheProjectAreValid(t *testing.T) {
	names := Names()
	if len(names) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range names {
		definition, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if definition.Name != name {
			t.Errorf("%s.yaml is named %q inside", name, definition.Name)
		}
		if name == "crash" && definition.Timeout.Duration != 30*time.Second {
			t.Errorf("%s: timeout is %s without one being given", name, definition.Timeout.Duration)
		}
	}
}

const small = `
name: small
observe: [pods]
faults: [before]
zone: small.test.
variables: {one: "1"}
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}}
  await: pods.size() == 1
- name: remove
  delete: {resource: pods, object: a}
  await: pods.size() == 0
invariants:
- name: one
  holds: pods.size() <= 1
`

func TestBadDefinitionNamesTheField(t *testing.T) {
	parse(t, small)
	for _, test := range []struct{ name, replace, with, want string }{
		{"unknown field", "observe:", "obsrve:", `unknown field "obsrve": did you mean observe?`},
		{"unknown field of the operator", "zone:", "operator: {comand: [x]}\nzone:", `unknown field "operator.comand": did you mean command?`},
		{"unknown field near none", "zone:", "shape: round\nzone:", `unknown field "shape"`},
		{"a resource by a name of the expressions' own", "observe: [pods]", "observe: [pods, events]",
			"observe[1]: events cannot be observed: expressions call something else events"},
		{"two resources of one name", "observe: [pods]", "observe: [pods, pods.metrics.k8s.io]",
			"observe[1]: pods.metrics.k8s.io cannot be observed: expressions call something else pods"},
		{"no name", "name: small", "name: ''", "name: give the drill one"},
		{"no faults", "faults: [before]", "", "faults, silence, cases: give at least one of them"},
		{"unknown fault", "faults: [before]", `faults: [before, "422"]`, `faults[1]: "422" is none of before, after`},
		{"like nothing there is", "faults: [before]", "like: crsh", `like: unknown drill "crsh": choose one of crash, errors`},
		{"setup of no case", "scenario:", "setup: [{name: wait, for: 1s}]\nscenario:", "setup, measures: they are of cases, and there are none"},
		{"measures of no case", "scenario:", "measures: [{name: pods, value: pods.size()}]\nscenario:", "setup, measures: they are of cases"},
		{"pairs of no kill", "faults: [before]", "faults: [cut]\npairs: 3", "pairs: they are of kills: give a number from 1, and before or after"},
		{"pairs of silence", "faults: [before]", "silence: 1s\npairs: 3", "pairs: they are of kills"},
		{"fewer pairs than none", "faults: [before]", "faults: [before]\npairs: -1", "pairs: they are of kills: give a number from 1"},
		{"nothing observed", "observe: [pods]", "observe: []", "observe: list the resources"},
		{"step without a name", "name: create", "name: ''", "scenario[0].name"},
		{"step that a point could not name", "name: create", "name: 'create: it'", "scenario[0].name"},
		{"two steps of a name", "name: remove", "name: create", "scenario[1].name: \"create\" is used twice"},
		{"no condition", "await: pods.size() == 0", "await: ''", "scenario[1].await"},
		{"two actions", "await: pods.size() == 1", "await: 'true'\n  delete: {resource: pods, object: a}", "scenario[0].apply, patch, delete: give exactly one"},
		{"resource that is not observed", "resource: pods", "resource: secrets", `scenario[1].delete.resource: "secrets" must be one of those under observe`},
		{"object given twice", "object: a", "object: a, objectFrom: \"'a'\"", "scenario[1].delete.object"},
		{"expression that does not parse", "pods.size() == 0", "pods.size( == 0", "scenario[1].await"},
		{"expression over a name that is not there", "pods.size() == 0", "podz.size() == 0",
			"scenario[1].await: line 1, column 1: undeclared reference to 'podz': name one of pods, delivered, event, events, formerWrites, " +
				"leaders, lease, measures, records, requests, variables, or list it under observe"},
		{"function that is not there", "pods.size() == 0", "pods.sze() == 0",
			"scenario[1].await: line 1, column 9: undeclared reference to 'sze': there is no such function"},
		{"condition that is a number", "await: pods.size() == 0", "await: pods.size()", "scenario[1].await: must yield bool, not int"},
		{
			"expression over two lines", "await: pods.size() == 0", "await: |-\n    pods.size() ==\n    podz.size()",
			"scenario[1].await: line 2, column 1: undeclared",
		},
		{
			"variable that is not there", "pods.size() == 0", "pods.size() == variables.won",
			"scenario[1].await: there is no variables.won, only one",
		},
		{
			"variable that is not there, in a macro", "pods.size() == 0", "pods.all(p, has(variables.won))",
			"scenario[1].await: there is no variables.won",
		},
		{
			"variable that is not there, in another", `one: "1"`, `one: variables.two`,
			"variables.one: there is no variables.two, only one",
		},
		{
			"event without such a field", "holds: pods.size() <= 1", "holds: event.typ == 'ADDED'",
			"invariants[0].holds: there is no event.typ, only object, old, resource, type",
		},
		{"zone that is no name", "zone: small.test.", "zone: not a zone", `zone: "not a zone" is not a domain name`},
		{"kind that there is not", "kind: Pod", "kind: Pot", `scenario[0].apply.kind: there is no kind "Pot" of apiVersion "v1"`},
		{
			"version that there is not", "apiVersion: v1", "apiVersion: v2",
			`scenario[0].apply.kind: there is no kind "Pod" of apiVersion "v2"`,
		},
		{"object without a name", "metadata: {name: a}", "metadata: {}", "scenario[0].apply.metadata.name, nameFrom: give exactly one of them"},
		{"field given twice", "name: small", "name: small\nname: large", `it is no valid YAML: line 3: key "name" already set`},
		{"no YAML", "name: small", "name: [}", "it is no valid YAML: line 1: did not find expected node content"},
		{"a binary", "name: small", "\x7fELF\x02\x00", "it is no valid YAML: control characters are not allowed"},
		{"name that no namespace can begin with", "name: small", "name: Small one",
			`name: "Small one" must be lower-case letters and digits, with dashes between them, at most 40 characters`},
		{"name that leaves no room", "name: small", "name: " + strings.Repeat("a", 41), `name: "aaaa`},
		{"resource listed twice", "observe: [pods]", "observe: [pods, services, pods]", "observe[2]: pods is listed twice"},
		{"resource by its kind", "observe: [pods]", "observe: [pods, Pods]",
			`observe[1]: "Pods": give the plural in lower case, as kubectl api-resources lists it`},
		{"resource without a name", "observe: [pods]", "observe: [pods, '']", `observe[1]: "": give the plural in lower case`},
		{"negative timeout", "zone:", "timeout: -1s\nzone:", "timeout: must be at least 1s, such as 30s, not -1s"},
		{"timeout of nothing", "zone:", "timeout: 0s\nzone:", "timeout: must be at least 1s, such as 30s, not 0s"},
		{"timeout that nothing meets", "zone:", "timeout: 999ms\nzone:", "timeout: must be at least 1s, such as 30s, not 999ms"},
		{"timeout without a unit", "zone:", "timeout: 5\nzone:", "timeout: give a duration such as 5s"},
		{"timeout without a unit, as text", "zone:", "timeout: '5'\nzone:", "timeout: give a duration such as 5s"},
		{"negative silence", "faults: [before]", "silence: -1s", "silence: must be a time such as 10s, not -1s"},
		{"negative wait", "name: remove", "name: remove\n  for: -1s", "scenario[1].for: must be a time such as 5s, not -1s"},
		{"object with a namespace", "{name: a}", "{name: a, namespace: shelf}",
			"scenario[0].apply.metadata.namespace: leave it out: each run has a namespace of its own"},
		{"object without an apiVersion", "apiVersion: v1, ", "", "scenario[0].apply.apiVersion: give the object one, such as apps/v1"},
		{"object without a kind", "kind: Pod, ", "", "scenario[0].apply.kind: give the object one, such as Deployment"},
		{"variable over itself", `one: "1"`, "one: 1 + variables.one", "variables: one -> one: one of them must do without the next"},
		{"circle of variables", `{one: "1"}`, "\n  zero: variables.a\n  a: variables['b']\n  b: 'has(variables.c) ? 1 : 2'\n  c: variables.a",
			"variables: a -> b -> c -> a: one of them must do without the next"},
		{"path that cannot be read", "zone:", "ignore: [spec.x, status..x]\nzone:", `ignore[1]: "status..x" is no path from "..x" on: write one such as`},
		{"path of what is not observed", "zone:", "ignore: ['configmaps: data']\nzone:", `ignore[0]: "configmaps" must be one of those under observe`},
		{"path that YAML takes for a map", "zone:", "ignore: [pods: data]\nzone:", "ignore[0]: give text, in quotes if YAML takes it for something else"},
		{"text for a list", "zone:", "ignore: status\nzone:", "ignore: give a list, as in [one, another]"},
		{"number for text", "name: small", "name: 5", "name: give text, in quotes if YAML takes it for something else"},
		{"number for a fault", "[before]", "[before, 409]", "faults[1]: give text, in quotes"},
		{"number in a map of texts", "zone:", "operator: {env: {A: 1}}\nzone:", "operator.env.A: give text, in quotes"},
		{"text for a command", "zone:", "operator: {command: ./x}\nzone:", "operator.command: give a list, as in [one, another]"},
		{"text for true or false", "zone:", "operator: {clusterWide: 'yes'}\nzone:", "operator.clusterWide: give true or false"},
		{"text for a number", "zone:", "pairs: many\nzone:", "pairs: give a whole number"},
		{"part of a number", "zone:", "pairs: 1.5\nzone:", "pairs: give a whole number"},
		{"text for a step", "- name: remove\n", "- remove\n- name: remove\n", "scenario[1]: give a map, as in {name: value}"},
		{"list for a target", "delete: {resource: pods, object: a}", "delete: [a]", "scenario[1].delete: give a map"},
		{"field of a part that has others besides", "delete: {resource: pods, object: a}", "patch: {resource: [pods]}",
			"scenario[1].patch.resource: give text"},
		{"invariant without a name", "- name: one\n", "- name: ''\n", "invariants[0].name: give it one"},
		{"two invariants of a name", "invariants:", "invariants:\n- {name: one, holds: 'true'}", `invariants[1].name: "one" is used twice`},
		{"invariant that is not given", "holds: pods.size() <= 1", "holds: ' '", "invariants[0].holds: give an expression"},
		{"member of an event by an index", "holds: pods.size() <= 1", "holds: event['typ'] == 'ADDED'", "invariants[0].holds: there is no event.typ, only"},
		{"count that is no number", "zone:", "count: \"'many'\"\nzone:", "count: must yield int, not string"},
		{"count of a step that is no number", "name: remove", "name: remove\n  count: \"'many'\"", "scenario[1].count: must yield int, not string"},
		{"unknown field of a patch", "delete: {resource: pods, object: a}", "patch: {resource: pods, object: a, wiht: {}}", `unknown field "scenario[1].patch.wiht": did you mean with?`},
		{"patch of what is not observed", "delete: {resource: pods, object: a}", "patch: {resource: secrets, object: a, with: {}}",
			`scenario[1].patch.resource: "secrets" must be one of those under observe`},
		{"object that is no text", "object: a}", "objectFrom: pods.size()}", "scenario[1].delete.objectFrom: must yield string, not int"},
		{"step that is called as the time after it", "name: remove", "name: silence", `scenario[1].name: "silence" is what the time is called`},
		{"step that is called as after a restart", "name: remove", "name: create again", `scenario[1].name: "create again" must not end in again`},
		{"invariant that is a number", "holds: pods.size() <= 1", "holds: pods.size()", "invariants[0].holds: must yield bool"},
	} {
		t.Run(test.name, func(t *testing.T) { requireBad(t, small, test.replace, test.with, test.want) })
	}
}

// TestVariableOfTheSameNameElsewhere makes no circle.
func TestVariableOfTheSameNameElsewhere(t *testing.T) {
	parse(t, strings.Replace(small, `{one: "1"}`, "\n  one: pods.all(p, p.spec.variables.one == 'variables.one')", 1))
}

// TestIntegersArriveUnchanged though a number of JSON can be a float, which has 53 bits for them.
func TestIntegersArriveUnchanged(t *testing.T) {
	const numbers = "spec: {large: 9223372036854775807, negative: -9007199254740993, part: 0.5}"
	for _, text := range []string{small, strings.Replace(small, "observe: [pods]\n", "like: crash\n", 1)} {
		d := parse(t, strings.Replace(text, "{name: a}}", "{name: a}, "+numbers+"}", 1))
		want := map[string]any{"large": int64(9223372036854775807), "negative": int64(-9007199254740993), "part": 0.5}
		if difference := cmp.Diff(want, d.Scenario[0].Apply["spec"]); difference != "" {
			t.Errorf("- want, + got\n%s", difference)
		}
	}
}

// TestKindsThatTheManifestsDefine are known by their group: nothing is known of another.
func TestKindsThatTheManifestsDefine(t *testing.T) {
	var defined []*apiextensionsv1.CustomResourceDefinition
	for _, kind := range []string{"Teapot", "Cup"} {
		defined = append(defined, definitionFrom(t, teapots, "kind: Teapot", "kind: "+kind))
	}
	for _, test := range []struct{ text, apiVersion, kind, want string }{
		{small, "v1", "Pod", ""},
		{small, "tea.example.com/v1", "Cup", ""},
		{small, "coffee.example.com/v1", "Cpu", ""},
		{small, "tea.example.com/v1", "Cpu", `scenario[0].apply.kind: there is no kind "Cpu" of group tea.example.com, only Teapot, Cup`},
		{smallCases, "tea.example.com/v1", "Cpu", `setup[0].apply.kind: there is no kind "Cpu"`},
	} {
		d := parse(t, strings.Replace(test.text, "apiVersion: v1, kind: Pod", "apiVersion: "+test.apiVersion+", kind: "+test.kind, 1))
		err := d.CheckKinds(defined)
		if (err != nil) != (test.want != "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s, %s: got %v, want %q", test.apiVersion, test.kind, err, test.want)
		}
	}
}

func TestUnknownDrillListsThoseThereAre(t *testing.T) {
	_, err := Load("crsh")
	if err == nil || !strings.Contains(err.Error(), "choose one of crash") {
		t.Errorf("got %v", err)
	}
}

func TestNoSuchDrillFile(t *testing.T) {
	_, err := Load("missing.yaml")
	if err == nil || !strings.HasPrefix(err.Error(), "drill file: ") {
		t.Errorf("got %v", err)
	}
}

// TestLikeAnother gives a file the fields that it does not have itself: variables add up, of plans there is one, and a list is
// replaced as a whole.
func TestLikeAnother(t *testing.T) {
	crash, err := Load("crash")
	if err != nil {
		t.Fatal(err)
	}
	like := func(text string) *Definition { return parse(t, "name: mine\nlike: crash\n"+text) }

	t.Run("in everything", func(t *testing.T) {
		mine := like("")
		want := *crash
		want.Name, want.Like, want.Source = "mine", "crash", "small.yaml"
		if difference := cmp.Diff(&want, mine); difference != "" {
			t.Error(difference)
		}
	})
	t.Run("variables add up", func(t *testing.T) {
		mine := like("variables: {live: pods, mine: pods.size()}")
		if len(mine.Variables) != len(crash.Variables)+1 || mine.Variables["live"] != "pods" || mine.Variables["mine"] != "pods.size()" ||
			mine.Variables["settled"] != crash.Variables["settled"] {
			t.Errorf("variables %v", mine.Variables)
		}
	})
	t.Run("variables of nothing", func(t *testing.T) {
		if mine := like("variables:"); !maps.Equal(mine.Variables, crash.Variables) {
			t.Errorf("variables %v", mine.Variables)
		}
	})
	t.Run("lists are replaced", func(t *testing.T) {
		mine := like("observe: [fleets.fleet.twinloop.example.com, pods, controllerrevisions.apps, leases.coordination.k8s.io]\n" +
			"faults: [cut]\ninvariants: [{name: one, holds: 'true'}]\nignore: [spec.x]")
		if len(mine.Observe) != 4 || !slices.Equal(mine.Faults, []Fault{Cut}) || len(mine.Invariants) != 1 || len(mine.Ignore) != 1 {
			t.Errorf("observe %v, faults %v, invariants %v, ignore %v", mine.Observe, mine.Faults, mine.Invariants, mine.Ignore)
		}
		if len(mine.Scenario) != len(crash.Scenario) || mine.Zone != crash.Zone || mine.Timeout != crash.Timeout {
			t.Errorf("what was not given is not as in crash: %+v", mine)
		}
	})
	t.Run("another plan in place of its own", func(t *testing.T) {
		silent := like("silence: 10s")
		if len(silent.Faults) > 0 || silent.Pairs != 0 || silent.Silence.Duration != 10*time.Second || len(silent.Scenario) == 0 {
			t.Errorf("faults %v, pairs %d, silence %s, %d steps", silent.Faults, silent.Pairs, silent.Silence.Duration, len(silent.Scenario))
		}
		cases := like("cases: [{name: once, scenario: [{name: wait, for: 1s}]}]")
		if len(cases.Faults) > 0 || len(cases.Scenario) > 0 || len(cases.Cases) != 1 {
			t.Errorf("faults %v, %d steps, %d cases", cases.Faults, len(cases.Scenario), len(cases.Cases))
		}
	})
	t.Run("pairs besides", func(t *testing.T) {
		if mine := like("pairs: 7"); mine.Pairs != 7 || !slices.Equal(mine.Faults, crash.Faults) {
			t.Errorf("faults %v, pairs %d", mine.Faults, mine.Pairs)
		}
	})
	t.Run("cases of another take nothing of it along", func(t *testing.T) {
		mine := parse(t, "name: mine\nlike: fight\ncases: [{name: once, scenario: [{name: wait, for: 1s}]}]")
		if len(mine.Setup)+len(mine.Measures) > 0 || len(mine.Cases) != 1 || len(mine.Variables) <= len(crash.Variables) {
			t.Errorf("setup %v, measures %v, cases %v, variables %v", mine.Setup, mine.Measures, mine.Cases, mine.Variables)
		}
	})
	t.Run("variables that are none", func(t *testing.T) {
		_, err := Parse("small.yaml", []byte("name: mine\nlike: crash\nvariables: live"))
		if err == nil || !strings.Contains(err.Error(), "small.yaml: variables: give a map, as in {name: value}") {
			t.Errorf("got %v", err)
		}
	})
}

const ofMyOperator = `
operator: {name: mine, command: [./mine, "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"]}
observe: [pods]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}}
  await: pods.size() == 1
`

const casesOfMyOperator = `
cases:
- name: mine
  scenario: [{name: wait, for: 1s}]
setup: [{name: rest, for: 1s}]
measures: [{name: pods, value: pods.size()}]
`

func drillFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "drill.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDrillForAFile takes from the drill what is done to the operator, and all else from the file.
func TestDrillForAFile(t *testing.T) {
	for _, test := range []struct {
		name, file    string
		faults, cases int
		silence       time.Duration
	}{
		{"crash", ofMyOperator, 2, 0, 0},
		{"errors", ofMyOperator, 7, 0, 0},
		{"errors", ofMyOperator + "faults: [before]\n", 7, 0, 0},
		{"quiet", ofMyOperator, 0, 0, 10 * time.Second},
		{"stale", ofMyOperator + casesOfMyOperator, 0, 1, 0},
		{"crash", ofMyOperator + casesOfMyOperator, 2, 0, 0},
		{"quiet", ofMyOperator + casesOfMyOperator, 0, 0, 10 * time.Second},
	} {
		file := drillFile(t, test.file)
		d, err := LoadFor(test.name, file)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if d.Name != test.name || d.Source != file || d.Operator.Name != "mine" || d.Zone != "" || len(d.Variables) > 0 || !slices.Equal(d.Observe, []string{"pods"}) {
			t.Errorf("%s: %+v", test.name, d)
		}
		if len(d.Faults) != test.faults || len(d.Cases) != test.cases || d.Silence.Duration != test.silence {
			t.Errorf("%s: faults %v, silence %s, %d cases; want %d, %s, %d", test.name, d.Faults, d.Silence.Duration, len(d.Cases),
				test.faults, test.silence, test.cases)
		}
	}
}

func TestDrillForABadFile(t *testing.T) {
	for _, test := range []struct{ drill, file, want string }{
		{"crsh", ofMyOperator, `unknown drill "crsh": choose one of crash, errors`},
		{"crash", "", "it is empty: 'twinloop drill init' writes a first version"},
		{"crash", "- a", "it must be a map of fields, such as name and scenario"},
		{"crash", "name: mine\nlike: crash\n", "operator: say how to start it: give at least name and command"},
		{"crash", strings.Replace(ofMyOperator, "name: mine", "nam: mine", 1), `unknown field "operator.nam": did you mean name?`},
		{"crash", strings.Replace(ofMyOperator, "{{namespace}}", "default", 1), "operator.command: {{namespace}} is named neither there nor in env"},
		{"crash", ofMyOperator + "like: crsh\n", `like: unknown drill "crsh"`},
		{"crash", strings.Replace(ofMyOperator, "pods.size() == 1", "podz.size() == 1", 1), "scenario[0].await: line 1, column 1: undeclared"},
		{
			"stale", ofMyOperator,
			"cases: those of the drill stale are about a Fleet: write some of your own, after chaos/drills/stale.yaml",
		},
		{"failover", ofMyOperator, "cases: those of the drill failover are about a Fleet"},
	} {
		file := drillFile(t, test.file)
		_, err := LoadFor(test.drill, file)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") ||
			!strings.HasPrefix(err.Error(), file+": ") && test.drill != "crsh" {
			t.Errorf("%s: got %v, want one line about the file with %q", test.drill, err, test.want)
		}
	}
	if _, err := LoadFor("crash", "missing.yaml"); err == nil || err.Error() != "drill file: open missing.yaml: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(smallCases))
	f.Add([]byte(ofMyOperator + casesOfMyOperator))
	f.Add([]byte("name: mine\nlike: fight\nmeasures: []\nvariables:\n"))
	f.Add([]byte(""))
	f.Add([]byte("name: [}"))
	f.Add([]byte(small + "ignore: [status, \"pods: metadata.annotations['a.b/c']\", 'status.conditions[*].message']\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		definition, err := Parse("fuzz", content)
		if err != nil {
			return
		}
		again, err := yaml.Marshal(definition)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("again", again); err != nil {
			t.Errorf("what was read cannot be read again: %v\n%s", err, again)
		}
	})
}
