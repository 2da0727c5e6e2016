package drill

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/operator"
)

// tinyHead is what the tiny drills have in common, which hold in seconds.
const tinyHead = `
name: tiny
observe: [fleets.fleet.twinloop.example.com, pods, controllerrevisions.apps, leases.coordination.k8s.io]
timeout: 20s
`

const createTiny = `
- name: create
  apply:
    apiVersion: fleet.twinloop.example.com/v1alpha1
    kind: Fleet
    metadata: {name: web}
    spec:
      replicas: 1
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "web:1.0"}]}}
  await: fleets.exists(f, has(f.status) && has(f.status.availableReplicas) && f.status.availableReplicas == f.spec.replicas)
`

const tiny = tinyHead + "faults: [before]\nscenario:" + createTiny

// program is a subject that runs as the administrator.
func program(t *testing.T, name string) Subject {
	t.Helper()
	identity, err := new(operator.Manifest).Install(t.Context(), controlplanetest.Client(t, cp))
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Name: "program", Command: operator.Command{Program: name}, Identity: identity}
}

// requireUnheld wants a drill that cannot be held, and to be told why: in a line, and then by the operator's last words
// where they help.
func requireUnheld(t *testing.T, definition *Definition, s Subject, line, lastWords string) {
	t.Helper()
	report, err := Run(t.Context(), Options{Definition: definition, Subject: s, ControlPlane: cp, Lanes: 1})
	if err == nil {
		t.Fatalf("it was held: %+v", report.Summary)
	}
	got, rest, _ := strings.Cut(err.Error(), "\n")
	if !strings.HasPrefix(got, line) || !strings.Contains(rest, lastWords) || (rest == "") != (lastWords == "") {
		t.Errorf("got\n%v\nwant a line that begins with\n%s\nand then %q", err, line, lastWords)
	}
}

// briefly is a definition whose steps time out soon.
func briefly(t *testing.T, text string) *Definition {
	t.Helper()
	definition := parse(t, text)
	definition.Timeout.Duration = time.Second
	return definition
}

const idle = "#!/bin/sh\nexec sleep 1000\n"

// onlooker is an operator that asks the API server for something, says something, and does nothing more.
func onlooker(t *testing.T, words string) string {
	t.Helper()
	return executable(t, "#!/bin/sh\n"+cp.Bin("kubectl")+" get pods >/dev/null 2>&1\n"+words+"exec sleep 1000\n")
}

// TestOperatorThatNeverBecomesReady is told apart from one that says something.
func TestOperatorThatNeverBecomesReady(t *testing.T) {
	requireUnheld(t, briefly(t, tiny), program(t, onlooker(t, "")),
		"the reference run, without any fault, fails (converges, in 3 of 3 runs): create: not settled after 1s: what the step awaits is not true",
		"The operator printed nothing.")
	requireUnheld(t, briefly(t, tiny), program(t, onlooker(t, "echo waiting for the moon\n")),
		"the reference run, without any fault, fails (converges, in 3 of 3 runs): create: not settled after 1s: what the step awaits is not true",
		"The operator's last words:\n  waiting for the moon")
}

// TestAwaitThatCannotBeEvaluated says what of it.
func TestAwaitThatCannotBeEvaluated(t *testing.T) {
	text := tinyHead + `
faults: [before]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: a}]}}
  await: pods[0].metadata.labels['app'] == 'web'
`
	requireUnheld(t, briefly(t, text), program(t, onlooker(t, "")),
		"the reference run, without any fault, fails (converges, in 3 of 3 runs): create: not settled after 1s: await cannot be evaluated: no such key: labels",
		"The operator printed nothing.")
}

// TestProgramThatCannotBeStarted is no finding.
func TestProgramThatCannotBeStarted(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	requireUnheld(t, parse(t, tiny), program(t, missing), "starting "+missing+": fork/exec "+missing+": no such file or directory", "")
	noProgram := executable(t, "this is none")
	requireUnheld(t, parse(t, tiny), program(t, noProgram), "starting "+noProgram+": fork/exec "+noProgram+": exec format error", "")
}

// TestScenarioThatTheAPIServerRefuses is the scenario's fault, not the operator's.
func TestScenarioThatTheAPIServerRefuses(t *testing.T) {
	const pod = `
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: a}]}}
  await: pods.size() == 1
`
	const broken = "the scenario itself cannot be acted out: "
	step := func(text string) string { return "- name: step\n  await: 'true'\n  " + text + "\n" }
	for _, test := range []struct{ name, step, want string }{
		{"a patch of what cannot be changed", step("patch: {resource: pods, object: a, with: {spec: {activeDeadlineSeconds: -1}}}"),
			"step: " + broken + `patch: Pod "a" is invalid: [spec.activeDeadlineSeconds: Invalid value`},
		{"a patch of the wrong type", step("patch: {resource: pods, object: a, with: {spec: {containers: many}}}"), "step: " + broken + "patch: "},
		{"a patch of nothing", step("patch: {resource: pods, object: b, with: {}}"), "step: " + broken + `patch: pods "b" not found`},
		{"a deletion of nothing", step("delete: {resource: pods, object: b}"), "step: " + broken + `delete: pods "b" not found`},
		{"a target that cannot be told", step(`patch: {resource: pods, objectFrom: "pods[7].metadata.name", with: {}}`),
			"step: patch: " + broken + "objectFrom: index out of bounds: 7"},
		{"an object without what it needs", step("apply: {apiVersion: v1, kind: Pod, metadata: {name: b}}"), "step: " + broken + `apply: Pod "b" is invalid: spec.containers: Required value`},
		{"an object of a name that cannot be", step("apply: {apiVersion: v1, kind: Pod, metadata: {name: B_}, spec: {containers: [{name: app, image: a}]}}"),
			"step: " + broken + `apply: Pod "B_" is invalid: metadata.name: Invalid value`},
		{"an object of an unknown kind", step("apply: {apiVersion: example.com/v1, kind: Nothing, metadata: {name: b}}"),
			"step: " + broken + `apply: no matches for kind "Nothing" in version "example.com/v1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := tinyHead + "faults: [before]\nscenario:" + pod + test.step
			requireUnheld(t, parse(t, text), toy(t), test.want, "")
		})
	}
	t.Run("in a case", func(t *testing.T) {
		text := tinyHead + "cases:\n- name: one\n  scenario:" + strings.ReplaceAll(pod, "\n", "\n  ") +
			"\n  - name: step\n    patch: {resource: pods, object: a, with: {spec: {activeDeadlineSeconds: -1}}}\n"
		requireUnheld(t, parse(t, text), toy(t), "one: step: "+broken+`patch: Pod "a" is invalid: [spec.activeDeadlineSeconds: Invalid value`, "")
	})
}

func TestObserveWhatCannotBe(t *testing.T) {
	const none = "the API server has no such resource; name it as plural.group, or add its CustomResourceDefinition to operator.manifests"
	for resource, why := range map[string]string{
		"podz": none, "podz.example.com": none, "nodes": "it is in no namespace, and each run has only its own",
		"clusterroles.rbac.authorization.k8s.io": "it is in no namespace, and each run has only its own",
	} {
		text := strings.NewReplacer("leases.coordination.k8s.io", resource, "fleets.fleet.twinloop.example.com, ", "").Replace(tiny)
		definition := parse(t, strings.Replace(text, "fleets.exists(f,", "pods.exists(f,", 1))
		requireUnheld(t, definition, program(t, executable(t, idle)), `observe: "`+resource+`": `+why, "")
	}
}

// TestReferenceThatBreaksAnInvariant would break it with every fault.
func TestReferenceThatBreaksAnInvariant(t *testing.T) {
	text := tinyHead + `
faults: [before]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: a}]}}
  await: pods.size() == 1
invariants:
- name: no pods
  holds: pods.size() == 0
`
	requireUnheld(t, parse(t, text), toy(t),
		"the reference run, without any fault, fails (safe, in 3 of 3 runs): no pods: violated by ADDED pods a at version ", "pods a")
}

// TestOperatorThatWritesNothing leaves nothing to inject at.
func TestOperatorThatWritesNothing(t *testing.T) {
	text := tinyHead + `
faults: [before]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: a}]}}
  await: pods.size() == 1
`
	requireUnheld(t, parse(t, text), toy(t),
		"nothing to inject: the operator writes nothing in the whole scenario", "")
}
