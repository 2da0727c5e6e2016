package drill

import (
	"strings"
	"testing"
	"time"

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
		if definition.Timeout.Duration != 30*time.Second {
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
	for _, test := range []struct{ name, replace, with, want string }{
		{"unknown field", "observe:", "obsrve:", `small.yaml: unknown field "obsrve"`},
		{"no name", "name: small", "name: ''", "name: give the drill one"},
		{"no faults", "faults: [before]", "", "faults: list at least one"},
		{"unknown fault", "faults: [before]", `faults: [before, "422"]`, `faults[1]: "422" is none of before, after`},
		{"like nothing there is", "faults: [before]", "like: crsh", `like: unknown drill "crsh": choose one of crash, errors`},
		{"nothing observed", "observe: [pods]", "observe: []", "observe: list the resources"},
		{"step without a name", "name: create", "name: ''", "scenario[0].name"},
		{"step that a point could not name", "name: create", "name: 'create: it'", "scenario[0].name"},
		{"two steps of a name", "name: remove", "name: create", "scenario[1].name: \"create\" is used twice"},
		{"no condition", "await: pods.size() == 0", "await: ''", "scenario[1].await"},
		{"two actions", "await: pods.size() == 1", "await: 'true'\n  delete: {resource: pods, object: a}", "scenario[0].apply, patch, delete: give exactly one"},
		{"resource that is not observed", "resource: pods", "resource: secrets", `scenario[1].delete.resource: "secrets" must be one of those under observe`},
		{"object given twice", "object: a", "object: a, objectFrom: \"'a'\"", "scenario[1].delete.object"},
		{"expression that does not parse", "pods.size() == 0", "pods.size( == 0", "scenario[1].await"},
		{"expression over a name that is not there", "pods.size() == 0", "podz.size() == 0", "undeclared reference to 'podz'"},
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
		{"object without a name", "metadata: {name: a}", "metadata: {}", "scenario[0].apply.metadata.name: give the object one"},
		{"field given twice", "name: small", "name: small\nname: large", `key "name" already set`},
		{"no YAML", "name: small", "name: [}", "did not find expected node content"},
		{"invariant that is a number", "holds: pods.size() <= 1", "holds: pods.size()", "invariants[0].holds: must yield bool"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(small, test.replace) {
				t.Fatalf("the definition does not contain %q", test.replace)
			}
			_, err := Parse("small.yaml", []byte(strings.Replace(small, test.replace, test.with, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "small.yaml: ") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line of small.yaml with %q", err, test.want)
			}
		})
	}
	if _, err := Parse("small.yaml", []byte(small)); err != nil {
		t.Errorf("unchanged, it is refused: %v", err)
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

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name: [}"))
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
