package mutants

import (
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
)

// TestEveryMutantIsCaught drills every mutant of every operator at the points that it names; and, at all of those, the
// operators as they are, which must convict no mutant, and one whose patch breaks nothing, which must be seen to live.
func TestEveryMutantIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and drills an operator for every mutant")
	}
	idle := noOp(t)
	cells, err := Run(t.Context(), Options{
		Mutants:   append(all(t), idle),
		Operators: operator.Known,
		ControlPlane: controlplanetest.Start(t, controlplane.Options{
			CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
			Controllers: controlplane.Housekeeping,
			Kubelet:     &kubelet.Options{},
		}),
		Lanes: 4,
		Progress: func(c Cell, done, total int) {
			t.Logf("%d of %d: %s, %s, %s: %s (%s)", done, total, c.Mutant, c.Operator, c.Drill, c.Verdict, c.Why)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if c.Mutant == idle.Name {
			if want := "delete: PATCH fleets #1, after: passed"; c.Verdict != Lives || c.Why != want {
				t.Errorf("a mutant that breaks nothing: %s because %q, want that it lives because %q", c.Verdict, c.Why, want)
			}
			continue
		}
		if !c.Expected() {
			t.Errorf("%s, %s, %s: %s\n%s", c.Mutant, c.Operator, c.Drill, c.Verdict, c.Why)
		}
	}
	var table strings.Builder
	if err := WriteMatrix(&table, cells); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

func all(t *testing.T) []Mutant {
	t.Helper()
	mutants, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

func noOp(t *testing.T) Mutant {
	t.Helper()
	content, err := os.ReadFile("testdata/no-op.patch")
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse("no-op.patch", content)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
