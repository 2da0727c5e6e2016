package drill

import (
	"slices"
	"strings"
	"testing"
)

func TestOperatorThatCannotBeStarted(t *testing.T) {
	good := func() Operator {
		return Operator{Name: "mine", Command: []string{"./mine", "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"}}
	}
	for _, test := range []struct {
		name   string
		change func(*Operator)
		want   string // "" for one that can
	}{
		{"by flags", func(*Operator) {}, ""},
		{"by the environment", func(o *Operator) {
			o.Command = []string{"mine"}
			o.Env = map[string]string{"KUBECONFIG": "{{kubeconfig}}", "WATCH_NAMESPACE": "{{namespace}}"}
		}, ""},
		{"in all namespaces", func(o *Operator) { o.Command, o.ClusterWide = o.Command[:2], true }, ""},
		{"with a DNS server", func(o *Operator) { o.Publishing = []string{"--dns={{dns}}"} }, ""},
		{"by flags for one alone", func(o *Operator) { o.Alone, o.Command = o.Command[1:], o.Command[:1] }, ""},
		{"without a name", func(o *Operator) { o.Name = "" }, `name: "" must be lower-case letters and digits, with dashes between them, at most 40`},
		{"by a path for a name", func(o *Operator) { o.Name = "a/b" }, `name: "a/b" must be lower-case`},
		{"by two words for a name", func(o *Operator) { o.Name = "my own" }, `name: "my own" must be lower-case`},
		{"by a name with capitals", func(o *Operator) { o.Name = "Mine" }, `name: "Mine" must be lower-case`},
		{"by the longest name", func(o *Operator) { o.Name = strings.Repeat("a", 40) }, ""},
		{"by a longer name", func(o *Operator) { o.Name = strings.Repeat("a", 41) }, `name: "aaaa`},
		{"with a variable of no name", func(o *Operator) { o.Env = map[string]string{"": "1"} }, `env: "" must be the name of a variable`},
		{"with a variable that has its value in its name", func(o *Operator) { o.Env = map[string]string{"A": "1", "B=2": ""} },
			`env: "B=2" must be the name of a variable, and no name is empty or has = in it`},
		{"with controllers", func(o *Operator) { o.Controllers = []string{"endpointslice-controller"} }, ""},
		{"with a controller by its resource", func(o *Operator) { o.Controllers = []string{"job-controller", "replicaset"} },
			`controllers[1]: "replicaset" must be a name as kube-controller-manager has them, such as replicaset-controller`},
		{"with a controller by its type", func(o *Operator) { o.Controllers = []string{"ReplicaSet-controller"} }, `controllers[0]: "ReplicaSet`},
		{"with all controllers", func(o *Operator) { o.Controllers = []string{"*"} }, `controllers[0]: "*" must be a name`},
		{"by nothing", func(o *Operator) { o.Command = nil }, "command: give the program and its arguments"},
		{"by an empty program", func(o *Operator) { o.Command[0] = "" }, "command: give the program and its arguments"},
		{"without a kubeconfig", func(o *Operator) { o.Command[1] = "--verbose" }, "command: {{kubeconfig}} is named neither there nor in env"},
		{"without a namespace", func(o *Operator) { o.Command = o.Command[:2] }, "command: {{namespace}} is named neither there nor in env; say clusterWide: true"},
		{"by another name for it", func(o *Operator) { o.Command[2] = "{{ns}}" }, `command: "{{ns}}": what can be named is {{kubeconfig}}, {{namespace}} and {{dns}}`},
		{"by a name with spaces", func(o *Operator) { o.Env = map[string]string{"A": "{{ dns }}"} }, `command: "{{ dns }}": what can be named is`},
		{"by a name in no braces", func(o *Operator) { o.Command[1] = "{kubeconfig}" }, "command: {{kubeconfig}} is named neither there"},
	} {
		o := good()
		test.change(&o)
		err := o.validate()
		if (err != nil) != (test.want != "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func TestOperatorIsStartedAsItsFileSays(t *testing.T) {
	command := Operator{
		Command: []string{"mine", "--a"}, Alone: []string{"--alone"}, Electing: []string{"--electing"}, Publishing: []string{"--dns"},
		Env: map[string]string{"B": "2", "A": "1"},
	}.StartedBy()
	if command.Program != "mine" || !slices.Equal(command.Args, []string{"--a"}) || !slices.Equal(command.Env, []string{"A=1", "B=2"}) ||
		!slices.Equal(command.Alone, []string{"--alone"}) || !slices.Equal(command.Electing, []string{"--electing"}) ||
		!slices.Equal(command.Publishing, []string{"--dns"}) {
		t.Errorf("command %+v", command)
	}
}
