package twinloop_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/twinloop"

// rules say which packages a folder's packages may not import, themselves or through others. Tests are not bound by
// them: a test may stand anywhere.
var rules = []struct {
	folder string
	not    []string
	why    string
}{
	{"shared/fleet", []string{"k8s.io/client-go", "github.com/miekg/dns", module + "/shared/api/generated"},
		"the decision is pure: no client and no network"},
	{"shared", []string{module + "/handwired", module + "/kubebuilder", module + "/chaos", module + "/labs", module + "/cmd"},
		"what is shared knows nobody who shares it"},
	{"handwired", []string{"sigs.k8s.io/controller-runtime"},
		"the operator is written on client-go alone"},
	{"handwired", []string{module + "/kubebuilder", module + "/chaos", module + "/labs"},
		"an operator knows neither its twin nor what breaks it"},
	{"kubebuilder", []string{module + "/shared/api/generated"},
		"the client, the cache and the lister are controller-runtime's"},
	{"kubebuilder", []string{module + "/handwired", module + "/chaos", module + "/labs"},
		"an operator knows neither its twin nor what breaks it"},
	{"chaos", []string{module + "/handwired", module + "/kubebuilder", module + "/labs"},
		"drills build and launch an operator's binary, as its user would; they do not import it"},
	{"labs", []string{module + "/handwired", module + "/kubebuilder"},
		"labs watch an operator from outside, as drills do"},
}

func TestImportsGoOneWay(t *testing.T) {
	for _, rule := range rules {
		for _, line := range goList(t, "-deps", "-f", "{{.ImportPath}}", "./"+rule.folder+"/...") {
			if i := slices.IndexFunc(rule.not, func(not string) bool { return line == not || strings.HasPrefix(line, not+"/") }); i >= 0 {
				t.Errorf("%s imports %s: %s", rule.folder, line, rule.why)
			}
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Fields(string(output))
}
