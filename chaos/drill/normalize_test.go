package drill

import (
	"encoding/base64"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/yaml"
)

// seenRun is a run in which the objects of some events are there at the end, unless they were deleted.
type seenRun struct {
	namespace string
	events    []Event
}

// run reads events, such as `pods {metadata: {name: a}}`, or `- pods {…}` of a deletion. NS stands for the run's namespace.
func run(t *testing.T, namespace string, events ...string) seenRun {
	t.Helper()
	r := seenRun{namespace: namespace}
	for i, text := range events {
		text, deleted := strings.CutPrefix(strings.ReplaceAll(text, "NS", namespace), "- ")
		resource, object, _ := strings.Cut(text, " ")
		e := Event{Type: watch.Added, Resource: resource, Object: &unstructured.Unstructured{Object: readObject(t, object)}}
		if deleted {
			e.Type = watch.Deleted
		}
		e.Object.SetResourceVersion(string(rune('1' + i)))
		r.events = append(r.events, e)
	}
	return r
}

// readObject reads an object as a client of the API server has it: with int64 for whole numbers.
func readObject(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	content, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(content, &object)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

func (r seenRun) snapshot() snapshot {
	now := newState([]string{"pods", "services", "configmaps", "secrets", "webs", "statefulsets", "replicasets", "controllerrevisions"})
	for _, e := range r.events {
		now.apply(e)
	}
	return takeSnapshot(r.namespace, view{objects: now.lists(), kinds: knownKinds{{Kind: "Pod"}: "pods", {Kind: "Web", Group: "example.com"}: "webs"}}, r.events)
}

// TestRunsThatCameToTheSame differ in what the API server draws only, and those that did not in more.
func TestRunsThatCameToTheSame(t *testing.T) {
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	pod := func(name, generate, hash, owner string) string {
		return "pods {kind: Pod, apiVersion: v1, metadata: {name: " + name + ", generateName: " + generate +
			", labels: {controller-revision-hash: " + hash + "}, ownerReferences: [{controller: true, kind: StatefulSet, name: " + owner + "}]}}"
	}
	for _, test := range []struct {
		name       string
		one, other []string
		same       bool
	}{
		{"node ports",
			[]string{`services {metadata: {name: web}, spec: {healthCheckNodePort: 31000, ports: [{port: 80, nodePort: 31670}]}, status: {url: "http://web:31670"}}`},
			[]string{`services {metadata: {name: web}, spec: {healthCheckNodePort: 32001, ports: [{port: 80, nodePort: 32306}]}, status: {url: "http://web:32306"}}`}, true},
		{"a node port in the status of another object",
			[]string{`services {metadata: {name: web}, spec: {ports: [{nodePort: 31670}]}}`, `webs {metadata: {name: web}, status: {port: 31670}}`},
			[]string{`services {metadata: {name: web}, spec: {ports: [{nodePort: 32306}]}}`, `webs {metadata: {name: web}, status: {port: 32306}}`}, true},
		{"a node port of nobody",
			[]string{`services {metadata: {name: web}, spec: {ports: [{nodePort: 31670}]}}`, `webs {metadata: {name: web}, status: {port: 31670}}`},
			[]string{`services {metadata: {name: web}, spec: {ports: [{nodePort: 32306}]}}`, `webs {metadata: {name: web}, status: {port: 31670}}`}, false},
		{"the port of a service", []string{`services {metadata: {name: web}, spec: {ports: [{port: 80}]}}`},
			[]string{`services {metadata: {name: web}, spec: {ports: [{port: 81}]}}`}, false},
		{"addresses",
			[]string{`services {metadata: {name: web}, spec: {clusterIP: 10.96.0.7, clusterIPs: [10.96.0.7, "fd00::7"]}}`,
				`pods {metadata: {name: web-0}, status: {podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: "fd01::1"}], hostIP: 192.168.0.1, hostIPs: [{ip: 192.168.0.1}]}}`},
			[]string{`services {metadata: {name: web}, spec: {clusterIP: 10.96.3.9, clusterIPs: [10.96.3.9, "fd00::8"]}}`,
				`pods {metadata: {name: web-0}, status: {podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.2}, {ip: "fd01::2"}], hostIP: 192.168.0.3, hostIPs: [{ip: 192.168.0.3}]}}`}, true},
		{"no address and one", []string{`services {metadata: {name: web}, spec: {clusterIP: None}}`},
			[]string{`services {metadata: {name: web}, spec: {clusterIP: 10.96.3.9}}`}, false},
		{"an address with a port",
			[]string{`services {metadata: {name: zk}, spec: {clusterIP: 10.96.184.244}}`, `webs {metadata: {name: zk}, status: {endpoint: "10.96.184.244:2181"}}`},
			[]string{`services {metadata: {name: zk}, spec: {clusterIP: 10.96.0.7}}`, `webs {metadata: {name: zk}, status: {endpoint: "10.96.0.7:2181"}}`}, true},
		{"the address of one service and of another",
			[]string{`services {metadata: {name: a}, spec: {clusterIP: 10.0.0.1}}`, `services {metadata: {name: b}, spec: {clusterIP: 10.0.0.12}}`,
				`webs {metadata: {name: zk}, status: {endpoint: "http://10.0.0.1:80/"}}`},
			[]string{`services {metadata: {name: a}, spec: {clusterIP: 10.0.0.1}}`, `services {metadata: {name: b}, spec: {clusterIP: 10.0.0.12}}`,
				`webs {metadata: {name: zk}, status: {endpoint: "http://10.0.0.12:80/"}}`}, false},
		{"texts with a name, a uid, and the namespace",
			[]string{`pods {metadata: {name: web-x7k2p, generateName: web-, uid: 0f8fad5b-d9cb-469f-a165-70867728950e}}`,
				`webs {metadata: {name: a}, status: {message: "pods/web-x7k2p is ready", volume: pvc-0f8fad5b-d9cb-469f-a165-70867728950e, host: web-x7k2p.web.NS.svc}}`},
			[]string{`pods {metadata: {name: web-9qzzz, generateName: web-, uid: 7c9e6679-7425-40de-944b-e07fc1f90ae7}}`,
				`webs {metadata: {name: a}, status: {message: "pods/web-9qzzz is ready", volume: pvc-7c9e6679-7425-40de-944b-e07fc1f90ae7, host: web-9qzzz.web.NS.svc}}`}, true},
		{"a namespace within a word", []string{`webs {metadata: {name: a}, status: {message: "NSx"}}`},
			[]string{`webs {metadata: {name: a}, status: {message: "NSx"}}`}, false},
		{"keys", []string{`pods {metadata: {name: web-x7k2p, generateName: web-}}`, `pods {metadata: {name: web-2bbbb, generateName: web-}}`,
			`configmaps {metadata: {name: a}, data: {web-x7k2p: up, web-2bbbb: up, NS.web: up}}`},
			[]string{`pods {metadata: {name: web-9qzzz, generateName: web-}}`, `pods {metadata: {name: web-4cccc, generateName: web-}}`,
				`configmaps {metadata: {name: a}, data: {web-9qzzz: up, web-4cccc: up, NS.web: up}}`}, true},
		{"keys of different values", []string{`pods {metadata: {name: web-a7k2p, generateName: web-}}`, `pods {metadata: {name: web-z7k2p, generateName: web-}}`,
			`configmaps {metadata: {name: a}, data: {web-a7k2p: up, web-z7k2p: down}}`},
			[]string{`pods {metadata: {name: web-2qzzz, generateName: web-}}`, `pods {metadata: {name: web-9qzzz, generateName: web-}}`,
				`configmaps {metadata: {name: a}, data: {web-2qzzz: down, web-9qzzz: up}}`}, true},
		{"as many keys", []string{`pods {metadata: {name: web-x7k2p, generateName: web-}}`, `pods {metadata: {name: web-2bbbb, generateName: web-}}`,
			`configmaps {metadata: {name: a}, data: {web-x7k2p: up, web-2bbbb: up}}`},
			[]string{`pods {metadata: {name: web-9qzzz, generateName: web-}}`, `pods {metadata: {name: web-4cccc, generateName: web-}}`,
				`configmaps {metadata: {name: a}, data: {web-9qzzz: up}}`}, false},
		{"what is encoded", []string{`secrets {metadata: {name: a}, data: {host: ` + encoded("db.one.svc\n") + `}}`},
			[]string{`secrets {metadata: {name: a}, data: {host: ` + encoded("db.other.svc\n") + `}}`}, true},
		{"what is encoded and differs", []string{`secrets {metadata: {name: a}, data: {host: ` + encoded("db.one.svc\n") + `}}`},
			[]string{`secrets {metadata: {name: a}, data: {host: ` + encoded("cache.other.svc\n") + `}}`}, false},
		{"binary data", []string{`configmaps {metadata: {name: a}, binaryData: {host: ` + encoded("one") + `}}`},
			[]string{`configmaps {metadata: {name: a}, binaryData: {host: ` + encoded("other") + `}}`}, true},
		{"a text that only looks encoded", []string{`configmaps {metadata: {name: a}, data: {host: ` + encoded("one") + `}}`},
			[]string{`configmaps {metadata: {name: a}, data: {host: ` + encoded("other") + `}}`}, false},
		{"how many generations there were",
			[]string{`webs {metadata: {name: a, generation: 2}, status: {observedGeneration: 2, conditions: [{type: Ready, observedGeneration: 1}]}}`},
			[]string{`webs {metadata: {name: a, generation: 5}, status: {observedGeneration: 5, conditions: [{type: Ready, observedGeneration: 3}]}}`}, true},
		{"a status that is behind", []string{`webs {metadata: {name: a, generation: 2}, status: {observedGeneration: 2}}`},
			[]string{`webs {metadata: {name: a, generation: 2}, status: {observedGeneration: 1}}`}, false},
		{"a status that is ahead", []string{`webs {metadata: {name: a, generation: 2}, status: {observedGeneration: 2}}`},
			[]string{`webs {metadata: {name: a, generation: 2}, status: {observedGeneration: 3}}`}, false},
		{"the uid of what is gone",
			[]string{`configmaps {metadata: {name: first, uid: u1a}}`, `configmaps {metadata: {name: second, labels: {first-uid: u1a}}}`,
				`- configmaps {metadata: {name: first, uid: u1a}}`},
			[]string{`configmaps {metadata: {name: first, uid: u2b}}`, `configmaps {metadata: {name: second, labels: {first-uid: u2b}}}`,
				`- configmaps {metadata: {name: first, uid: u2b}}`}, true},
		{"the uid of what is gone, and of its successor",
			[]string{`configmaps {metadata: {name: first, uid: u1a}}`, `- configmaps {metadata: {name: first, uid: u1a}}`,
				`configmaps {metadata: {name: first, uid: u2b}}`, `configmaps {metadata: {name: second, labels: {first-uid: u1a}}}`},
			[]string{`configmaps {metadata: {name: first, uid: u1a}}`, `- configmaps {metadata: {name: first, uid: u1a}}`,
				`configmaps {metadata: {name: first, uid: u2b}}`, `configmaps {metadata: {name: second, labels: {first-uid: u2b}}}`}, false},
		{"the uid of an owner that is not observed and that another object names",
			[]string{`pods {metadata: {name: a, ownerReferences: [{kind: Job, name: j, uid: u1a}]}}`, `configmaps {metadata: {name: c}, data: {job: job-u1a}}`},
			[]string{`pods {metadata: {name: a, ownerReferences: [{kind: Job, name: j, uid: u2b}]}}`, `configmaps {metadata: {name: c}, data: {job: job-u2b}}`}, true},
		{"hashes of a template that names its namespace",
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), `statefulsets {kind: StatefulSet, apiVersion: apps/v1, metadata: {name: db}, status: {currentRevision: db-57c4547d7b, updateRevision: db-57c4547d7b}}`},
			[]string{pod("db-0", "db-", "db-6f9c8d6b5f", "db"), `statefulsets {kind: StatefulSet, apiVersion: apps/v1, metadata: {name: db}, status: {currentRevision: db-6f9c8d6b5f, updateRevision: db-6f9c8d6b5f}}`}, true},
		{"a stateful set that is on its way",
			[]string{`statefulsets {kind: StatefulSet, metadata: {name: db}, status: {currentRevision: db-57c4547d7b, updateRevision: db-57c4547d7b}}`,
				`statefulsets {kind: StatefulSet, metadata: {name: db}, status: {currentRevision: db-6f9c8d6b5f, updateRevision: db-6f9c8d6b5f}}`},
			[]string{`statefulsets {kind: StatefulSet, metadata: {name: db}, status: {currentRevision: db-57c4547d7b, updateRevision: db-57c4547d7b}}`,
				`statefulsets {kind: StatefulSet, metadata: {name: db}, status: {currentRevision: db-57c4547d7b, updateRevision: db-6f9c8d6b5f}}`}, false},
		{"names of replica sets and their pods",
			[]string{`replicasets {metadata: {name: web-57c4547d7b, labels: {pod-template-hash: 57c4547d7b}, ownerReferences: [{controller: true, kind: Deployment, name: web}]}}`,
				`pods {metadata: {name: web-57c4547d7b-x7k2p, generateName: web-57c4547d7b-, labels: {pod-template-hash: 57c4547d7b}, ownerReferences: [{controller: true, kind: ReplicaSet, name: web-57c4547d7b}]}}`},
			[]string{`replicasets {metadata: {name: web-6f9c8d6b5f, labels: {pod-template-hash: 6f9c8d6b5f}, ownerReferences: [{controller: true, kind: Deployment, name: web}]}}`,
				`pods {metadata: {name: web-6f9c8d6b5f-9qzzz, generateName: web-6f9c8d6b5f-, labels: {pod-template-hash: 6f9c8d6b5f}, ownerReferences: [{controller: true, kind: ReplicaSet, name: web-6f9c8d6b5f}]}}`}, true},
		{"a pod of the old template",
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), pod("db-0", "db-", "db-6f9c8d6b5f", "db")},
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), pod("db-1", "db-", "db-6f9c8d6b5f", "db"), "- " + pod("db-1", "db-", "db-6f9c8d6b5f", "db")}, false},
		{"a template that there was for a moment only",
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), pod("db-1", "db-", "db-6f9c8d6b5f", "db")},
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), pod("db-1", "db-", "db-999999999", "db"), pod("db-1", "db-", "db-6f9c8d6b5f", "db")}, true},
		{"two templates that are in use for one",
			[]string{pod("db-0", "db-", "db-57c4547d7b", "db"), pod("db-1", "db-", "db-6f9c8d6b5f", "db")},
			[]string{pod("db-0", "db-", "db-6f9c8d6b5f", "db"), pod("db-1", "db-", "db-6f9c8d6b5f", "db")}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The namespace of one run is no part of any word in these tests, and that of the other is not either.
			one, other := run(t, "one", test.one...).snapshot(), run(t, "other", test.other...).snapshot()
			if difference := other.difference(one); difference.empty() != test.same || one.equal(other) != test.same {
				t.Errorf("want the same %t: %s", test.same, difference)
			}
		})
	}
}

// TestWordsAreReplacedAsAWhole where letters, digits and the parts of addresses end.
func TestWordsAreReplacedAsAWhole(t *testing.T) {
	words := newTokens(map[string]string{
		"10.0.0.1": "<a>", "fd00::1": "<six>", "web-x7k2p": "web-*", "web-x7k2p-abcde": "long", "run-1": "<ns>", "31670": "<port>",
		"57c4547d7b": "<hash>", "fd00::": "<never>",
	})
	for text, want := range map[string]string{
		"":                           "",
		"10.0.0.1":                   "<a>",
		"10.0.0.1:80,10.0.0.1:81":    "<a>:80,<a>:81",
		"at 10.0.0.1.":               "at <a>.",
		"10.0.0.12":                  "10.0.0.12",
		"110.0.0.1":                  "110.0.0.1",
		"1.10.0.0.1":                 "1.10.0.0.1",
		"10.0.0.1.5":                 "10.0.0.1.5",
		"[fd00::1]:80":               "[<six>]:80",
		"fd00::1:5":                  "fd00::1:5",
		"data-web-x7k2p-0":           "data-web-*-0",
		"web-x7k2p-abcde":            "long",
		"web-x7k2pa":                 "web-x7k2pa",
		"myweb-x7k2p":                "myweb-x7k2p",
		"http://web.run-1.svc:31670": "http://web.<ns>.svc:<port>",
		"run-12, run-1":              "run-12, <ns>",
		"web-57c4547d7b":             "web-<hash>",
		"größerun-1":                 "größerun-1",
		"1.31670":                    "1.31670",
	} {
		for range 2 { // the second time from memory
			if got := words.replace(text); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}
