package mutants

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/chaos/drill"
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
	mutants, g := all(t), newGround(t)
	for _, o := range operator.Known {
		for _, name := range drill.Names() {
			t.Run("unbroken/"+name+"/"+o.Name, func(t *testing.T) {
				t.Parallel()
				caught := caughtBy(name, mutants)
				report := g.drill(t, o, name, pointsOf(caught))
				for _, result := range report.Points {
					if result.Verdict != drill.Passed {
						t.Errorf("%s: %s: %+v\n%s", result.Point, result.Verdict, result.Findings, result.Log)
					}
				}
				for _, m := range caught {
					if m.CaughtBy(report) == nil {
						t.Errorf("the unbroken operator is taken for %s", m.Name)
					}
				}
			})
		}
	}
	t.Run("no-op", func(t *testing.T) {
		t.Parallel()
		m := noOp(t)
		if err := m.CaughtBy(g.drill(t, m.Operators()[0], m.Drill, m.Points, overlayFlag(t, m))); err == nil {
			t.Error("a mutant that breaks nothing counts as caught")
		} else if want := "delete: PATCH fleets #1, after: passed"; err.Error() != want {
			t.Errorf("lives because %q, want %q", err, want)
		}
	})
	for _, m := range mutants {
		for _, o := range m.Operators() {
			t.Run(m.Name+"/"+o.Name, func(t *testing.T) {
				t.Parallel()
				if m.Suite != "" {
					failsInSuite(t, m, o)
					return
				}
				report := g.drill(t, o, m.Drill, m.Points, overlayFlag(t, m))
				for _, result := range report.Points {
					for _, finding := range result.Findings {
						t.Logf("%s: %s: %s", result.Point, finding.Oracle, finding.Text)
					}
				}
				if err := m.CaughtBy(report); err != nil {
					t.Errorf("lives:\n%v", err)
				}
			})
		}
	}
}

// failsInSuite runs a test of the suite with every build that it starts overlaid. That it passes without, the suite's own
// run shows.
func failsInSuite(t *testing.T, m Mutant, o operator.Operator) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run=^"+m.Suite+"$/^"+o.Name+"$", "../../shared/suite")
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" "+overlayFlag(t, m))
	output, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(output, []byte("--- FAIL: "+m.Suite)) {
		t.Errorf("lives: %s: %v\n%s", m.Suite, err, output)
	}
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

// caughtBy are the mutants that a drill must catch.
func caughtBy(name string, mutants []Mutant) (caught []Mutant) {
	for _, m := range mutants {
		if m.Drill == name {
			caught = append(caught, m)
		}
	}
	return caught
}

func pointsOf(mutants []Mutant) []drill.Point {
	var points []drill.Point
	for _, m := range mutants {
		for _, point := range m.Points {
			if !slices.Contains(points, point) {
				points = append(points, point)
			}
		}
	}
	return points
}

func overlayFlag(t *testing.T, m Mutant) string {
	t.Helper()
	file, err := m.Overlay(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return "-overlay=" + file
}

// ground is what all drills of the test share.
type ground struct {
	controlPlane *controlplane.ControlPlane
	identities   map[string]operator.Identity // by the operator's name
	linking      sync.Mutex
}

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{
		controlPlane: controlplanetest.Start(t, controlplane.Options{
			CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
			Controllers: controlplane.Housekeeping,
			Kubelet:     &kubelet.Options{},
		}),
		identities: map[string]operator.Identity{},
	}
	for _, o := range operator.Known {
		identity, err := o.Install(t.Context(), controlplanetest.Client(t, g.controlPlane))
		if err != nil {
			t.Fatal(err)
		}
		g.identities[o.Name] = identity
	}
	return g
}

// drill builds the operator and drills it.
func (g *ground) drill(t *testing.T, o operator.Operator, name string, points []drill.Point, buildFlags ...string) *drill.Report {
	t.Helper()
	definition, err := drill.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	report, err := drill.Run(t.Context(), drill.Options{
		Definition:   definition,
		Subject:      drill.Subject{Name: o.Name, Binary: g.build(t, o, buildFlags...), Identity: g.identities[o.Name]},
		ControlPlane: g.controlPlane,
		Points:       points,
		Lanes:        4,
		Progress: func(done, total, failed int) {
			t.Logf("%d of %d points, %d failed", done, total, failed)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// build builds one operator at a time, since each takes all processors.
func (g *ground) build(t *testing.T, o operator.Operator, flags ...string) (binary string) {
	t.Helper()
	g.linking.Lock()
	defer g.linking.Unlock()
	binary = filepath.Join(t.TempDir(), o.Name)
	if err := o.Build(t.Context(), binary, flags...); err != nil {
		t.Fatal(err)
	}
	t.Log("built")
	return binary
}
