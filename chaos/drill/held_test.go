package drill

import (
	"slices"
	"strings"
	"testing"
)

// tinyCases are cases of every outcome.
const tinyCases = tinyHead + `
setup:` + createTiny + `
measures:
- name: pods created
  value: "events.filter(e, e.resource == 'pods' && e.type == 'ADDED').size()"
cases:
- name: passes
  scenario:
  - name: hold
    hold: {resource: pods}
  - &scale
    name: scale
    patch: {resource: fleets.fleet.twinloop.example.com, object: web, with: {spec: {replicas: 3}}}
    await: pods.size() == 3
  - name: release
    release: {resource: pods}
    await: fleets.all(f, f.status.availableReplicas == 3)
  expect:
  - name: three pods were created
    holds: measures['pods created'] == 3 && requests.filter(r, r.kind == 'POST pods' && r.committed).size() == 3
- name: fails
  repeat: 2
  scenario: [*scale]
  expect:
  - name: a wonder
    holds: pods.size() == 99
- name: finds
  scenario:
  - &held
    name: hold a pod
    patch: {resource: pods, objectFrom: "pods[0].metadata.name", with: {metadata: {finalizers: [drill.example.com/held]}}}
    await: pods.all(p, has(p.metadata.finalizers))
  - &delete
    name: delete
    delete: {resource: fleets.fleet.twinloop.example.com, object: web}
    await: fleets.size() == 0 && pods.all(p, has(p.metadata.deletionTimestamp))
  finds: [leaks]
- name: finds-nothing
  scenario: [*scale]
  finds: [leaks]
- name: hands-over
  replicas: 2
  leaderElection: true
  scenario:
  - name: strike
    signal: TERM
    replica: leader
  - *scale
  handOver: {after: strike, from: "0.0", to: lease.longestWait}
  expect:
  - name: two led
    holds: leaders.size() == 2 && !formerWrites.exists(w, w.accepted)
`

// TestCases holds a case of every outcome.
func TestCases(t *testing.T) {
	report, err := Run(t.Context(), Options{
		Definition: parse(t, tinyCases), Subject: subject(t, "handwired"), ControlPlane: cp, Lanes: 4,
	})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]PointResult{}
	for _, result := range report.Points {
		results[result.Point.String()] = result
	}
	for _, test := range []struct {
		point   string
		verdict Verdict
		finding string // the beginning of the only one; "" for none
	}{
		{"passes", Passed, ""},
		{"fails #1", Failed, "a wonder: does not hold (pods.size() == 99)"},
		{"fails #2", Failed, "a wonder: does not hold (pods.size() == 99)"},
		{"finds", Passed, ""},
		{"finds-nothing", Failed, "was to object, as this case shows what goes wrong; it did not"},
		{"hands-over", Passed, ""},
	} {
		result, ok := results[test.point]
		unexpected := slices.DeleteFunc(slices.Clone(result.Findings), func(f Finding) bool { return f.Expected })
		if !ok || result.Verdict != test.verdict || len(unexpected) != min(1, len(test.finding)) ||
			len(unexpected) == 1 && !strings.HasPrefix(unexpected[0].Text, test.finding) {
			t.Errorf("%s: %s, %v; want %s, %q\n%s", test.point, result.Verdict, unexpected, test.verdict, test.finding, result.Log)
		}
		if !result.Injected || result.Seconds <= 0 || len(result.Timeline) == 0 || len(result.Measures) != 1 {
			t.Errorf("%s: injected %t, %v s, %d marks, measures %v", test.point, result.Injected, result.Seconds, len(result.Timeline), result.Measures)
		}
	}
	if shown := results["finds"].Findings; len(shown) == 0 || shown[0].Oracle != Leaks {
		t.Errorf("the case that is there to show leaks shows %v", shown)
	}
	if got := results["passes"].Measures["pods created"]; got != 3 {
		t.Errorf("%d pods were created, want 3", got)
	}
	if h := results["hands-over"].HandOver; h == nil || h.NewHolder <= 0 || h.FirstWrite < h.NewHolder || h.To != 4.4 {
		t.Errorf("hand-over %+v", h)
	}
	all := report.HandOvers()
	if len(all) != 1 || all[0].Case != "hands-over" || all[0].Runs != 1 {
		t.Errorf("hand-overs %+v", all)
	}
	got, want := report.Summary, Summary{
		Operator: "handwired", Drill: "tiny", Identity: "ServiceAccount fleet-system/fleet-handwired", Points: 6, Injected: 6, Passed: 3, Failed: 3,
	}
	if got.Seconds = 0; got != want {
		t.Errorf("summary %+v, want %+v", got, want)
	}
	if len(report.Reference) == 0 {
		t.Error("there is no run of the setup alone")
	}
}

// TestCaseThatNeverConverges is a finding, as it is in every other drill.
func TestCaseThatNeverConverges(t *testing.T) {
	definition := briefly(t, tinyHead+"cases:\n- name: one\n  scenario:"+strings.ReplaceAll(createTiny, "\n", "\n  ")+
		"\n  expect:\n  - {name: never told, holds: 'false'}\n")
	report, err := Run(t.Context(), Options{
		Definition: definition, Subject: program(t, executable(t, idle)), ControlPlane: cp, Lanes: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	result := report.Points[0]
	const want = "create: not settled after 1s: what the step awaits is not true\n" +
		"the operator has sent the API server no request since it was started\nthere are:\nfleets web replicas 1 "
	if result.Verdict != Failed || len(result.Findings) != 1 || result.Findings[0].Oracle != Converges ||
		!strings.HasPrefix(result.Findings[0].Text, want) {
		t.Errorf("%s: %v, want the finding %s", result.Verdict, result.Findings, want)
	}
}

// TestSilence listens to an operator that has nothing to do.
func TestSilence(t *testing.T) {
	text := tinyHead + "silence: 1s\nscenario:" + createTiny
	report, err := Run(t.Context(), Options{Definition: parse(t, text), Subject: subject(t, "handwired"), ControlPlane: cp, Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Points) != 1 || report.Points[0].Verdict != Passed || report.Points[0].Point.String() != "create, silence" {
		t.Errorf("points %+v", report.Points)
	}
}
