package drill

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
)

var cp *controlplane.ControlPlane

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == toyArgument {
		runToy(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == asWanderer {
		wander()
	}
	controlplanetest.Main(m, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: controlplane.Housekeeping,
		Kubelet:     &kubelet.Options{},
	}, &cp)
}

// subject builds an operator of the project.
func subject(t *testing.T, name string) Subject {
	t.Helper()
	found, err := operator.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), name)
	if err := found.Build(t.Context(), binary); err != nil {
		t.Fatal(err)
	}
	identity, err := found.Install(t.Context(), controlplanetest.Client(t, cp))
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Name: name, Command: operator.CommandOf(binary), Identity: identity}
}

func parsePoints(t *testing.T, texts ...string) []Point {
	t.Helper()
	var parsed []Point
	for _, text := range texts {
		point, err := ParsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, point)
	}
	return parsed
}

func crashDrill(t *testing.T) *Definition {
	t.Helper()
	definition, err := Load("crash")
	if err != nil {
		t.Fatal(err)
	}
	return definition
}

// TestCrashAtSomePoints kills on both sides of a write of each sort: the API server's and DNS's, of an object, a status
// and a finalizer. `make drill` does it at every write.
func TestCrashAtSomePoints(t *testing.T) {
	for _, o := range operator.Known {
		t.Run(o.Name, func(t *testing.T) {
			report, err := Run(t.Context(), Options{
				Definition: crashDrill(t), Subject: subject(t, o.Name), ControlPlane: cp, Lanes: 4,
				Points: parsePoints(t,
					"scale: POST pods #1, before", "scale: POST pods #1, after",
					"roll: DELETE pods #2, before", "roll: DELETE pods #2, after",
					"create: UPDATE fleet.test. #1, before", "create: UPDATE fleet.test. #1, after",
					"create: PATCH fleets #1, before", "delete: PATCH fleets #1, after",
					"scale: PUT fleets/status #1, after",
				),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, point := range report.Points {
				if point.Verdict != Passed {
					t.Errorf("%s: %s: %v\n%s", point.Point, point.Verdict, point.Findings, point.Log)
				}
			}
			if before, after := report.Points[0], report.Points[1]; before.CountAtKill != 2 || after.CountAtKill != 3 || !after.HalfDone() {
				t.Errorf("scaled from 2 to 4, killed at the first creation: %d pods before it and %d after it, want 2 and 3",
					before.CountAtKill, after.CountAtKill)
			}
			all := len(report.Points)
			want := Summary{Operator: o.Name, Drill: "crash", Points: all, Injected: all, Passed: all}
			got := report.Summary
			if !strings.HasPrefix(got.Identity, "ServiceAccount ") {
				t.Errorf("it ran as %s", got.Identity)
			}
			got.Identity = ""
			got.Seconds, got.HalfDone = 0, 0
			if got != want {
				t.Errorf("summary %+v, want %+v", got, want)
			}
		})
	}
}

// TestErrorsAtSomePoints refuses a write of each sort in each way, and loses answers. `twinloop drill errors` does it at
// every write.
func TestErrorsAtSomePoints(t *testing.T) {
	definition, err := Load("errors")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operator.Known {
		t.Run(o.Name, func(t *testing.T) {
			report, err := Run(t.Context(), Options{
				Definition: definition, Subject: subject(t, o.Name), ControlPlane: cp, Lanes: 4,
				Points: parsePoints(t,
					"scale: POST pods #1, cut", "scale: POST pods #1, drop", "roll: DELETE pods #1, cut",
					"create: POST controllerrevisions #1, 409", "create: POST controllerrevisions #1, cut",
					"roll: PUT fleets/status #1, 500", "create: PATCH fleets #1, 503", "delete: PATCH fleets #1, 504",
					"scale: POST pods #1, 429", "create: UPDATE fleet.test. #1, cut", "delete: UPDATE fleet.test. #1, drop",
				),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, point := range report.Points {
				if point.Verdict != Passed || point.HalfDone() {
					t.Errorf("%s: %s: %v\n%s", point.Point, point.Verdict, point.Findings, point.Log)
				}
			}
		})
	}
}

// TestOperatorThatDoesNothing has no reference to be held against: the drill says so instead of passing.
func TestOperatorThatDoesNothing(t *testing.T) {
	idle := subject(t, "handwired")
	idle.Name, idle.Command.Program = "idle", onlooker(t, "")
	definition := crashDrill(t)
	definition.Timeout.Duration = definition.Timeout.Duration / 30
	_, err := Run(t.Context(), Options{Definition: definition, Subject: idle, ControlPlane: cp, Lanes: 1})
	if err == nil || !strings.Contains(err.Error(), "the reference run, without any fault, fails") {
		t.Errorf("got %v", err)
	}
}

// TestOperatorThatCannotStart is told apart from one that is slow, with what it said.
func TestOperatorThatCannotStart(t *testing.T) {
	failing := subject(t, "handwired")
	failing.Name, failing.Command.Program = "failing", executable(t, "#!/bin/sh\necho no configuration >&2\nexit 3\n")
	_, err := Run(t.Context(), Options{Definition: crashDrill(t), Subject: failing, ControlPlane: cp, Lanes: 1})
	const want = "ended by itself (exit status 3): what the step awaits is not true\nThe operator's last words:\n  no configuration\n"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestInterruptedDrillStops, and reports the points that it came by as what they are: some of them.
func TestInterruptedDrillStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	report, err := Run(ctx, Options{
		Definition: crashDrill(t), Subject: subject(t, "handwired"), ControlPlane: cp, Lanes: 2,
		Progress: func(p Progress) {
			if p.Result != nil {
				cancel()
			}
		},
	})
	if err == nil || ctx.Err() == nil {
		t.Errorf("got %v", err)
	}
	if report == nil || !report.Summary.Interrupted || len(report.Points) == 0 {
		t.Fatalf("reported: %+v", report)
	}
	for name, write := range map[string]func(Reports, io.Writer) error{"table": Reports.WriteTable, "JUnit": Reports.WriteJUnit} {
		var text strings.Builder
		if err := write(Reports{report}, &text); err != nil || !strings.Contains(text.String(), "interrupted") {
			t.Errorf("the %s does not tell: %v\n%s", name, err, text.String())
		}
	}
}

// TestStruck waits until an operator that is being killed is dead.
func TestStruck(t *testing.T) {
	var none *armed
	fault := &armed{dead: make(chan struct{})}
	if none.struck() || fault.struck() {
		t.Error("struck, and nobody is dying")
	}
	fault.dying.Store(true)
	var dead atomic.Bool
	go func() {
		dead.Store(true)
		close(fault.dead)
	}()
	if !fault.struck() || !dead.Load() {
		t.Error("not struck, or not dead yet")
	}
}

// TestPointNotReached is no pass: no fault was injected.
func TestPointNotReached(t *testing.T) {
	point := parsePoints(t, "scale: POST pods #1, after")[0]
	if result := newPointResult(point, attempts, false, &Recording{}, nil); result.Verdict != NotReached || result.Injected {
		t.Errorf("verdict %s, injected %t", result.Verdict, result.Injected)
	}
}

func executable(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "operator")
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReportAsJSON(t *testing.T) {
	report := Report{Summary: Summary{Operator: "o", Drill: "d", Points: 3, Injected: 2, Passed: 1, Failed: 2, Seconds: 1.5}}
	var text strings.Builder
	if err := (Reports{&report}).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var read struct{ Summary map[string]any }
	if err := json.Unmarshal([]byte(text.String()), &read); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"operator", "drill", "points", "injected", "passed", "failed", "seconds"} {
		if _, ok := read.Summary[key]; !ok {
			t.Errorf("summary has no %q", key)
		}
	}
}

func TestTableOfTwoOperators(t *testing.T) {
	var reports Reports
	for _, name := range []string{"one", "two"} {
		reports = append(reports, &Report{
			Summary: Summary{Operator: name, Drill: "d", Points: 1, Injected: 1, Failed: 1, Seconds: 60},
			Points: []PointResult{{
				Point: parsePoints(t, "scale: POST pods #1, after")[0], Verdict: Failed,
				Findings: []Finding{{Oracle: "leaks", Text: "a pod"}},
			}},
		})
	}
	var text strings.Builder
	if err := reports.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"OPERATOR   POINT", "\none        scale: POST pods #1, after   failed", "\ntwo        scale",
		"\none, d, at scale: POST pods #1, after\n  leaks: a pod\n  reproduce with: --point 'scale: POST pods #1, after'\n",
		"\ntwo, d, at scale", "\none        d       1        1          0           0        1        0               0            60        1\n", "\nall        -       2 ",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, text.String())
		}
	}
}
