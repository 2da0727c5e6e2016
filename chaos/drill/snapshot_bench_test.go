package drill

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// manyPods is a namespace with a fleet of n pods, each with the fields that a kubelet fills in.
func manyPods(n int) view {
	v := podsAndRecords("crash-1", "x7k2p", "0f8fad5b-d9cb-469f-a165-70867728950e", "100", "2026-01-02T03:04:05Z", "10.0.0.1")
	v.objects["pods"] = nil
	for i := range n {
		condition := func(name string) any {
			return map[string]any{"type": name, "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(1)}
		}
		v.objects["pods"] = append(v.objects["pods"], map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name": fmt.Sprintf("web-57c4547d7b-%05d", i), "generateName": "web-57c4547d7b-", "namespace": "crash-1",
				"uid": fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i), "generation": int64(1),
				"labels": map[string]any{"app": "web", "controller-revision-hash": "57c4547d7b"},
				"ownerReferences": []any{map[string]any{
					"apiVersion": "fleet.twinloop.example.com/v1alpha1", "kind": "Fleet", "name": "web",
					"uid": "0f8fad5b-d9cb-469f-a165-70867728950e", "controller": true,
				}},
			},
			"spec": map[string]any{
				"containers": []any{map[string]any{
					"name": "app", "image": "web:1.0", "imagePullPolicy": "IfNotPresent",
					"env": []any{map[string]any{"name": "PEERS", "value": "web.crash-1.svc:2181,10.0.0.1:2181"}},
				}},
				"nodeName": "node", "restartPolicy": "Always", "terminationGracePeriodSeconds": int64(30),
				"tolerations": []any{
					map[string]any{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "tolerationSeconds": int64(300)},
					map[string]any{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "tolerationSeconds": int64(300)},
				},
			},
			"status": map[string]any{
				"phase": "Running", "podIP": fmt.Sprintf("10.0.1.%d", i), "podIPs": []any{map[string]any{"ip": fmt.Sprintf("10.0.1.%d", i)}},
				"conditions": []any{condition("Ready"), condition("Initialized"), condition("PodScheduled"), condition("ContainersReady")},
			},
		})
	}
	return v
}

func BenchmarkSnapshot(b *testing.B) {
	v := manyPods(50)
	for b.Loop() {
		takeSnapshot("crash-1", v, nil)
	}
	perSnapshot := b.Elapsed() / time.Duration(b.N)
	began := time.Now()
	for range 20 {
		if _, err := json.Marshal(v.objects); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(perSnapshot)/float64(time.Since(began)/20), "times-plain-JSON")
}
