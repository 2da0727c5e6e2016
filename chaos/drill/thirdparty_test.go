package drill

import (
	"slices"
	"testing"
)

// TestDrillsOfThirdPartyOperatorsAreValid for the drills that `make drill-rollouts` and `make drill-deployments` run, without
// the operators that they are about.
func TestDrillsOfThirdPartyOperatorsAreValid(t *testing.T) {
	for _, test := range []struct{ file, operator, resource string }{
		{"../../tools/argorollouts/drill.yaml", "argo-rollouts", "rollouts.argoproj.io"},
		{"../../tools/deploymentcontroller/drill.yaml", "deployment-controller", "deployments.apps"},
	} {
		for _, name := range []string{"crash", "errors", "quiet"} {
			definition, err := LoadFor(name, test.file)
			if err != nil {
				t.Error(err)
				continue
			}
			if definition.Name != name || definition.Operator.Name != test.operator ||
				!slices.Contains(definition.Observe, test.resource) || definition.Zone != "" {
				t.Errorf("%s: it is not the file's: %+v", name, definition)
			}
		}
	}
}
