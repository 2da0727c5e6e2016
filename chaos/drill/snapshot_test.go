package drill

import (
	"strings"
	"testing"
)

// podsAndRecords is what two runs that came to the same differ in: names, uids, versions, times and addresses.
func podsAndRecords(namespace, suffix, uid, version, when, address string) view {
	return view{
		kinds: knownKinds{{Kind: "Fleet"}: "fleets", {Kind: "Pod"}: "pods"},
		objects: map[string][]any{
			"fleets": {map[string]any{
				"metadata": map[string]any{"name": "web", "namespace": namespace, "uid": uid, "resourceVersion": version, "creationTimestamp": when},
				"status":   map[string]any{"readyReplicas": int64(1), "lastProgressTime": when},
			}},
			"pods": {map[string]any{
				"metadata": map[string]any{
					"name": "web-abc-" + suffix, "generateName": "web-abc-", "namespace": namespace, "uid": "pod" + uid,
					"ownerReferences": []any{map[string]any{"kind": "Fleet", "name": "web", "uid": uid}},
				},
				"status": map[string]any{"podIP": address},
			}},
		},
		records: []any{map[string]any{"name": "web." + namespace + ".fleet.test.", "owner": uid, "addresses": []any{address}}},
	}
}

func TestSnapshotsOfTheSameAreEqual(t *testing.T) {
	one := takeSnapshot("crash-1", podsAndRecords("crash-1", "x7k2p", "u-1", "100", "2026-01-02T03:04:05Z", "10.0.0.1"), nil)
	two := takeSnapshot("crash-2", podsAndRecords("crash-2", "9qzzz", "u-2", "2345", "2026-01-02T04:05:06Z", "10.0.7.9"), nil)
	if difference := two.difference(one); !difference.empty() || !two.equal(one) {
		t.Error(difference)
	}
}

func TestSnapshotTellsWhatDiffers(t *testing.T) {
	reference := podsAndRecords("ns", "a", "u", "1", "2026-01-02T03:04:05Z", "10.0.0.1")
	for _, test := range []struct {
		name   string
		change func(view)
		want   []string
	}{
		{"a field", func(v view) {
			v.objects["fleets"][0].(map[string]any)["status"].(map[string]any)["readyReplicas"] = int64(2)
		},
			[]string{"fleets/web:", "readyReplicas", "-", "+"}},
		{"an object too many", func(v view) {
			v.objects["pods"] = append(v.objects["pods"], map[string]any{"metadata": map[string]any{"name": "stray"}})
		}, []string{"+ pods", "stray"}},
		{"an object too few", func(v view) { v.objects["pods"] = nil }, []string{"- pods", "web-abc-*"}},
		{"an address that nobody has", func(v view) { v.records[0].(map[string]any)["addresses"] = []any{"10.9.9.9"} },
			[]string{"records/web.<namespace>.fleet.test.:", "<address of pods/web-abc-*>", "<address>"}},
		{"the owner of a record", func(v view) { v.records[0].(map[string]any)["owner"] = "somebody else" },
			[]string{"records/web.", "somebody else"}},
		{"an owner reference to another uid", func(v view) {
			metadata := v.objects["pods"][0].(map[string]any)["metadata"].(map[string]any)
			metadata["ownerReferences"] = []any{map[string]any{"kind": "Fleet", "name": "web", "uid": "gone"}}
		}, []string{"pods/web-abc-*:", "gone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := podsAndRecords("ns", "a", "u", "1", "2026-01-02T03:04:05Z", "10.0.0.1")
			test.change(changed)
			difference := takeSnapshot("ns", changed, nil).difference(takeSnapshot("ns", reference, nil)).String()
			for _, want := range test.want {
				if !strings.Contains(difference, want) {
					t.Errorf("want %q in:\n%s", want, difference)
				}
			}
		})
	}
}

// TestAlikeIsShownOnce but for names that the operator made up, and numbers.
func TestAlikeIsShownOnce(t *testing.T) {
	objects := func(names ...string) snapshot {
		var all []any
		for _, name := range names {
			all = append(all, map[string]any{"metadata": map[string]any{"name": name, "owner": "elms"}})
		}
		return takeSnapshot("elms", view{objects: map[string][]any{"pods": all}}, nil)
	}
	some := objects("oak-0", "oak-1", "oak-x7k2p", "elm")
	for _, test := range []struct{ got, want string }{
		{some.difference(nil).String(), `+ pods {"metadata":{"name":"elm","owner":"<namespace>"}}` + "\n" +
			`+ pods {"metadata":{"name":"oak-0","owner":"<namespace>"}}, and 1 more like it` + "\n" +
			`+ pods {"metadata":{"name":"oak-x7k2p","owner":"<namespace>"}}` + "\n"},
		{snapshot(nil).difference(objects("oak-0", "oak-1", "oak-2")).String(),
			`- pods {"metadata":{"name":"oak-0","owner":"<namespace>"}}, and 2 more like it` + "\n"},
	} {
		if test.got != test.want {
			t.Errorf("got\n%swant\n%s", test.got, test.want)
		}
	}
}

func TestEmptyIsAbsent(t *testing.T) {
	for _, test := range []struct {
		value any
		want  bool
	}{
		{nil, true}, {map[string]any{}, true}, {[]any{}, true},
		{"", false}, {int64(0), false}, {false, false}, {map[string]any{"a": nil}, false}, {[]any{nil}, false},
	} {
		if got := isEmpty(test.value); got != test.want {
			t.Errorf("%#v: %t, want %t", test.value, got, test.want)
		}
	}
}

// object is a view of one object.
func object(fields map[string]any) view {
	fields["metadata"] = map[string]any{"name": "web"}
	return view{objects: map[string][]any{"fleets": {fields}}}
}

func TestSnapshotsThatAreTheSame(t *testing.T) {
	conditions := func(types ...string) []any {
		var all []any
		for _, name := range types {
			all = append(all, map[string]any{"type": name})
		}
		return all
	}
	for _, test := range []struct {
		name       string
		one, other map[string]any
		ignore     []string
		same       bool
	}{
		{"an empty map and none", map[string]any{"status": map[string]any{}}, map[string]any{}, nil, true},
		{"an empty list and none", map[string]any{"list": []any{}}, map[string]any{}, nil, true},
		{"a map of empty ones and none", map[string]any{"status": map[string]any{"a": map[string]any{"b": nil}}}, map[string]any{}, nil, true},
		{"no number and 0", map[string]any{"n": int64(0)}, map[string]any{}, nil, false},
		{"no text and an empty one", map[string]any{"s": ""}, map[string]any{}, nil, false},
		{"a list in another order", map[string]any{"c": conditions("a", "b")}, map[string]any{"c": conditions("b", "a")}, nil, true},
		{"a longer list", map[string]any{"c": conditions("a", "a")}, map[string]any{"c": conditions("a")}, nil, false},
		{"a field", map[string]any{"spec": map[string]any{"n": int64(1)}}, map[string]any{"spec": map[string]any{"n": int64(2)}}, nil, false},
		{"a field that is ignored", map[string]any{"spec": map[string]any{"n": int64(1)}}, map[string]any{"spec": map[string]any{"n": int64(2)}},
			[]string{"spec.n"}, true},
		{"all that is below it", map[string]any{"spec": map[string]any{"n": int64(1)}}, map[string]any{}, []string{"spec"}, true},
		{"a field beside what is ignored", map[string]any{"spec": map[string]any{"n": int64(1), "m": int64(1)}},
			map[string]any{"spec": map[string]any{"n": int64(2), "m": int64(2)}}, []string{"spec.n", "spec.x", "none.at.all"}, false},
		{"a field of the resource's that is ignored", map[string]any{"n": int64(1)}, map[string]any{}, []string{"fleets: n"}, true},
		{"a field of another's", map[string]any{"n": int64(1)}, map[string]any{}, []string{"pods: n"}, false},
	} {
		one, other, ignored := object(test.one), object(test.other), ignoring(t, test.ignore...)
		before, after := takeSnapshot("ns", one, nil).without(ignored), takeSnapshot("ns", other, nil).without(ignored)
		if difference := before.difference(after); difference.empty() != test.same || before.equal(after) != test.same {
			t.Errorf("%s:\n%s", test.name, difference)
		}
	}
}

// TestIgnoringChangesNoObject that others look at.
func TestIgnoringChangesNoObject(t *testing.T) {
	seen := object(map[string]any{"spec": map[string]any{"n": int64(1)}})
	s := takeSnapshot("ns", seen, nil)
	s.without(ignoring(t, "spec.n"))
	if spec := seen.objects["fleets"][0].(map[string]any)["spec"].(map[string]any); spec["n"] != int64(1) {
		t.Errorf("it has become %v", spec)
	}
	if spec := s[0].value.(map[string]any)["spec"].(map[string]any); spec["n"] != int64(1) {
		t.Errorf("in the snapshot it has become %v", spec)
	}
}
