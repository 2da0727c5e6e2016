package drill

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// recorded returns a run with what there was after each of some steps.
func recorded(steps []string, states ...snapshot) *Recording {
	var r Recording
	for i, step := range steps {
		r.Steps = append(r.Steps, StepRecord{Name: step, snapshot: states[i]})
	}
	return &r
}

// stuck returns a run that did not come to the end of a step, with what there was then.
func stuck(step string, left view) *Recording {
	failure := errors.New(step + ": not settled after 30s: what the step awaits is not true\nvariables.up is false\n" + inventory + "\nwebs a (version 7)")
	return &Recording{Namespace: "one", Failure: failure, failedStep: step, last: left}
}

// holding returns a view of objects, each of its own resource.
func holding(t *testing.T, objects ...string) view {
	v := view{objects: map[string][]any{}}
	for _, text := range objects {
		resource, object, _ := strings.Cut(text, " ")
		v.objects[resource] = append(v.objects[resource], readObject(t, object))
	}
	return v
}

const (
	aWeb     = `webs {metadata: {name: a}, status: {ready: true, size: 1}}`
	aHalfWeb = `webs {metadata: {name: a}, status: {ready: false, size: 1}}`
	aJob     = `jobs {metadata: {name: j}}`
	aPod     = `pods {metadata: {name: p}}`
)

// TestFindingsOfDifferentBugs are two, and each shows its own state, that of lost objects first.
func TestFindingsOfDifferentBugs(t *testing.T) {
	reference := &reference{Recording: recorded([]string{"create"}, takeSnapshot("one", holding(t, aWeb, aJob), nil))}
	found := func(left ...string) Finding { return unsettled(reference, stuck("create", holding(t, left...))) }
	slow, again, lost, both, stray := found(aHalfWeb, aJob), found(aHalfWeb, aJob), found(aWeb), found(aHalfWeb), found(aWeb, aJob, aPod)
	report := Report{}
	for i, f := range []Finding{slow, again, lost, both, stray} {
		report.Points = append(report.Points, PointResult{Point: Point{Case: "c", Round: i + 1}, Findings: []Finding{f}})
	}
	var told []string
	for _, c := range report.Causes() {
		told = append(told, c.where()+": "+c.Text[strings.Index(c.Text, "compared"):])
	}
	want := []string{
		"c #3: compared with what there is after step create without a fault (- missing, + found):\n- jobs {\"metadata\":{\"name\":\"j\"}}\n",
		"c #4: ", "c #1 and 1 more point: ", "c #5: compared with what there is after step create without a fault (- missing, + found):\n+ pods",
	}
	if len(told) != len(want) {
		t.Fatalf("%d causes: %q", len(told), told)
	}
	for i := range want {
		if !strings.HasPrefix(told[i], want[i]) {
			t.Errorf("cause %d is %q, want %q", i, told[i], want[i])
		}
	}
	if !strings.Contains(told[2], "webs/a:") || !strings.Contains(told[2], `"ready"`) {
		t.Errorf("no field is shown in %q", told[2])
	}
	for _, f := range []Finding{slow, lost} {
		if f.step != "create" || !strings.HasPrefix(f.Text, "create: not settled after 30s") || !strings.Contains(f.Text, inventory) {
			t.Errorf("%+v", f)
		}
	}
}

// TestUnsettledWithoutAComparison is told by what did not hold.
func TestUnsettledWithoutAComparison(t *testing.T) {
	state := takeSnapshot("one", holding(t, aWeb), nil)
	create := &reference{Recording: recorded([]string{"create"}, state)}
	for _, test := range []struct {
		name      string
		reference *reference
		run       *Recording
	}{
		{"no reference", nil, stuck("create", holding(t, aJob))},
		{"a step that the reference has not", create, stuck("scale", holding(t, aJob))},
		{"the same state", create, stuck("create", holding(t, aWeb))},
	} {
		if got := unsettled(test.reference, test.run); got.Text != test.run.Failure.Error() || got.lost || got.step != test.run.failedStep {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	other := stuck("create", holding(t, aWeb))
	other.Failure = errors.New("create: not settled after 30s: what the step awaits is not true\nvariables.down is false\n" + inventory)
	if one, two := unsettled(create, stuck("create", holding(t, aWeb))), unsettled(create, other); one.cause == two.cause {
		t.Errorf("another variable has the same cause: %q", one.cause)
	}
	create.ignore = ignoring(t, "webs: status.ready")
	if got := unsettled(create, stuck("create", holding(t, aHalfWeb))); strings.Contains(got.Text, "compared") {
		t.Errorf("what is ignored is told: %s", got.Text)
	}
}

// TestDifferenceIsOfItsStep, which may be before the step in which there was a fault: an operator may do something else each time.
func TestDifferenceIsOfItsStep(t *testing.T) {
	steps := []string{"first", "second"}
	of := func(drawn string) snapshot {
		return takeSnapshot("one", holding(t, `configmaps {metadata: {name: done-a}, data: {drawn: "`+drawn+`"}}`), nil)
	}
	r, other := &reference{Recording: recorded(steps, of("1"), of("1"))}, recorded(steps, of("2"), of("2"))
	if f := r.finalState(other); f.step != "first" || f.Oracle != FinalState || f.lost {
		t.Fatalf("got %+v", f)
	}
	r.ignored = ignoring(t, "configmaps: data.drawn")
	if f := r.finalState(other); f.Text != "" {
		t.Errorf("though it is ignored: %s", f.Text)
	}
	r = &reference{Recording: recorded([]string{"zeroth"}, of("1"))}
	if f := r.finalState(other); f.Text != "" {
		t.Errorf("of steps that the reference has not: %s", f.Text)
	}
}

// TestViolationIsOfItsEvent by when that was seen.
func TestViolationIsOfItsEvent(t *testing.T) {
	compiled, err := compile(parse(t, small)) // at most one pod
	if err != nil {
		t.Fatal(err)
	}
	events := []Event{podEvent(watch.Added, "a", 1), podEvent(watch.Added, "b", 2)}
	found := violated(compiled.violations([]string{"pods"}, events))
	if len(found) != 1 || !found[0].at.Equal(time.Unix(2, 0)) {
		t.Errorf("found %+v", found)
	}
}

func TestLostFirst(t *testing.T) {
	got := lostFirst([]Finding{{Text: "a"}, {Text: "b", lost: true}, {Text: "c"}, {Text: "d", lost: true}})
	var texts []string
	for _, f := range got {
		texts = append(texts, f.Text)
	}
	if want := []string{"b", "d", "a", "c"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}

// TestOwnersAreKnownByGroupAndKind, as the API server says it: no plural follows from a kind.
func TestOwnersAreKnownByGroupAndKind(t *testing.T) {
	known := knownKinds{{Group: "gateway.networking.k8s.io", Kind: "Gateway"}: "gateways", {Kind: "Pod"}: "pods"}
	for _, test := range []struct {
		owner string
		want  bool
	}{
		{"{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}", true},
		{"{apiVersion: gateway.networking.k8s.io/v1beta1, kind: Gateway}", true},
		{"{apiVersion: networking.istio.io/v1, kind: Gateway}", false},
		{"{apiVersion: v1, kind: Pod}", true},
		{"{apiVersion: v1, kind: Node}", false},
	} {
		if got := known.include(readObject(t, test.owner)); got != test.want {
			t.Errorf("%s: %t, want %t", test.owner, got, test.want)
		}
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.AddSpecific(schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "Gateway"},
		schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"},
		schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateway"}, meta.RESTScopeNamespace)
	mapping, err := findNamespaced(mapper, "gateways.gateway.networking.k8s.io")
	if err != nil || mapping.GroupVersionKind.Kind != "Gateway" || mapping.Resource.Resource != "gateways" {
		t.Errorf("the API server is said to have %v: %v", mapping, err)
	}
	o := observer{resources: []observed{{"gateways", mapping.Resource, mapping.GroupVersionKind.GroupKind()}}}
	if got := o.kinds(); !maps.Equal(got, knownKinds{{Group: "gateway.networking.k8s.io", Kind: "Gateway"}: "gateways"}) {
		t.Errorf("known are %v", got)
	}
	left := holding(t, `pods {metadata: {name: p, ownerReferences: [{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, name: g, uid: gone}]}}`)
	left.kinds = known
	if found := leaks(left); !slices.Equal(found, []string{"pods p outlives its owner Gateway g"}) {
		t.Errorf("found %q", found)
	}
}
