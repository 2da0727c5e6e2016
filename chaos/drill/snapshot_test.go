package drill

import (
	"strings"
	"testing"
)

// podsAndRecords is what two runs that came to the same differ in: names, uids, versions, times and addresses.
func podsAndRecords(namespace, suffix, uid, version, when, address string) view {
	return view{
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
	one := takeSnapshot("crash-1", podsAndRecords("crash-1", "x7k2p", "u-1", "100", "2026-01-02T03:04:05Z", "10.0.0.1"))
	two := takeSnapshot("crash-2", podsAndRecords("crash-2", "9qzzz", "u-2", "2345", "2026-01-02T04:05:06Z", "10.0.7.9"))
	if difference := two.difference(one); difference != "" {
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
			[]string{"fleets:", "readyReplicas", "-", "+"}},
		{"an object too many", func(v view) {
			v.objects["pods"] = append(v.objects["pods"], map[string]any{"metadata": map[string]any{"name": "stray"}})
		}, []string{"+ pods", "stray"}},
		{"an object too few", func(v view) { v.objects["pods"] = nil }, []string{"- pods", "web-abc-*"}},
		{"the owner of a record", func(v view) { v.records[0].(map[string]any)["owner"] = "somebody else" },
			[]string{"records:", "somebody else"}},
		{"an owner reference to another uid", func(v view) {
			metadata := v.objects["pods"][0].(map[string]any)["metadata"].(map[string]any)
			metadata["ownerReferences"] = []any{map[string]any{"kind": "Fleet", "name": "web", "uid": "gone"}}
		}, []string{"pods:", "gone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := podsAndRecords("ns", "a", "u", "1", "2026-01-02T03:04:05Z", "10.0.0.1")
			test.change(changed)
			difference := takeSnapshot("ns", changed).difference(takeSnapshot("ns", reference))
			for _, want := range test.want {
				if !strings.Contains(difference, want) {
					t.Errorf("want %q in:\n%s", want, difference)
				}
			}
		})
	}
}
