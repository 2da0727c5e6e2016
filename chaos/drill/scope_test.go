package drill

import (
	"slices"
	"strings"
	"testing"
)

// TestVariableThatCannotBeEvaluated is what an expression is blamed on that uses it, by way of others, too; and it is no variable
// that there is for has().
func TestVariableThatCannotBeEvaluated(t *testing.T) {
	const variables = `
  complete: pods.all(p, p.status.ready)
  listed: pods[7].metadata.name == 'a'
  seen: pods.size() == 9
  settled: variables.complete && pods.size() == 1
`
	d := parse(t, replaced(t, small, `{one: "1"}`, variables,
		"await: pods.size() == 1", "await: variables.settled || variables.listed", "await: pods.size() == 0", "await: has(variables.settled)"))
	compiled, err := compile(d)
	if err != nil {
		t.Fatal(err)
	}
	pod := map[string]any{"metadata": map[string]any{"name": "a"}, "status": map[string]any{"phase": "Pending"}}
	seen := view{objects: map[string][]any{"pods": {pod}}, records: []any{}}
	want := []string{
		"variables.complete cannot be evaluated: no such key: ready",
		"variables.listed cannot be evaluated: index out of bounds: 7",
		"variables.seen is false",
	}
	if got := compiled.amiss(seen); !slices.Equal(got, want) {
		t.Errorf("amiss is %q, want %q", got, want)
	}
	_, err = compiled.scope(seen).truth(compiled.scenario[0].await)
	if err == nil || rootOf("await", err).Error() != want[0] {
		t.Errorf("got %v, want %s", err, want[0])
	}
	if has, err := compiled.scope(seen).truth(compiled.scenario[1].await); has || err != nil {
		t.Errorf("has: %t, %v", has, err)
	}
}

// TestInvariantThatCannotBeEvaluated is told apart from one that was violated.
func TestInvariantThatCannotBeEvaluated(t *testing.T) {
	compiled, err := compile(parse(t, replaced(t, small, "holds: pods.size() <= 1", "holds: pods.all(p, p.metadata.labl == 'a')")))
	if err != nil {
		t.Fatal(err)
	}
	found := violated(compiled.violations([]string{"pods"}, []Event{podEvent("ADDED", "a", 7)}))
	const want = "one: cannot be evaluated after ADDED pods a at version 7: no such key: labl; there were:\npods a"
	if len(found) != 1 || !strings.HasPrefix(found[0].Text, want) {
		t.Errorf("found %v, want %s", found, want)
	}
}
