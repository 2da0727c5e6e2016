package drill

import (
	"slices"
	"testing"
)

// TestDrillOfRolloutsIsValid for the drills that `make drill-rollouts` holds, without the controller that it is about.
func TestDrillOfRolloutsIsValid(t *testing.T) {
	for _, name := range []string{"crash", "errors", "quiet"} {
		definition, err := LoadFor(name, "../../tools/argorollouts/drill.yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		if definition.Name != name || definition.Operator.Name != "argo-rollouts" ||
			!slices.Contains(definition.Observe, "rollouts.argoproj.io") || definition.Zone != "" {
			t.Errorf("%s: it is not the file's: %+v", name, definition)
		}
	}
}
