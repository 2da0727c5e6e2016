package drill

import "testing"

// TestWhatAClusterWideOperatorWouldGoOnWith is removed after each of its runs, even if it is held by what nobody ends.
func TestWhatAClusterWideOperatorWouldGoOnWith(t *testing.T) {
	const held = tinyHead + "silence: 100ms\nscenario:" + `
- name: create
  apply:
    apiVersion: fleet.twinloop.example.com/v1alpha1
    kind: Fleet
    metadata: {name: web, finalizers: [nobody.example.com/ends]}
    spec:
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "web:1.0"}]}}
  await: fleets.size() == 1
`
	everywhere := toy(t)
	everywhere.ClusterWide = true
	a, err := newArena(t.Context(), parse(t, held), everywhere, cp)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	run, err := a.run(t.Context(), a.name, a.faultFreePlan())
	if err != nil || run.Failure != nil {
		t.Fatal(err, run.Failure)
	}
	if left, err := a.observer.read(t.Context(), a.name); err != nil || len(left["fleets"]) > 0 {
		t.Errorf("there is still %v (%v)", left["fleets"], err)
	}
}
