package drill

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/shared/api/crd"
)

const teapots = `
metadata: {name: teapots.tea.example.com}
spec:
  group: tea.example.com
  scope: Namespaced
  names: {kind: Teapot, plural: teapots}
  versions:
  - name: v0
    served: false
  - name: v1
    served: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        properties:
          spec: {properties: {}}
          status: {properties: {}}
`

const teapot = `
apiVersion: tea.example.com/v1
kind: Teapot
metadata: {name: brown}
spec: {}
`

// definitionFrom is a definition in YAML, with another text in place of one that must be there.
func definitionFrom(t *testing.T, text string, replace ...string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(replaced(t, text, replace...)), definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

func sampleFrom(t *testing.T, text string, replace ...string) *unstructured.Unstructured {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(replaced(t, text, replace...)))
	sample := &unstructured.Unstructured{}
	if err == nil {
		err = sample.UnmarshalJSON(content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in:\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// loadSketch reads a sketch as the command does, for one of each sort of drill that a file may be held with.
func loadSketch(t *testing.T, sketch string) *Definition {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drill.yaml")
	if err := os.WriteFile(file, []byte(sketch), 0o600); err != nil {
		t.Fatal(err)
	}
	var last *Definition
	for _, name := range []string{"crash", "quiet"} {
		definition, err := LoadFor(name, file)
		if err != nil {
			t.Fatalf("as %s: %v\n%s", name, err, sketch)
		}
		last = definition
	}
	return last
}

// suggestion is a line of a sketch that is there to be considered.
var suggestion = regexp.MustCompile(`(?m)^(\s*)# ((?:- |  |env: |alone: |electing: |controllers: |ignore: |timeout: ))`)

// TestSketchParses as it is, and with everything that it suggests.
func TestSketchParses(t *testing.T) {
	const (
		spec   = "spec: {properties: {}}"
		status = "status: {properties: {}}"
		given  = "spec: {}"
	)
	scale := []string{"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.pot-size.cups, statusReplicasPath: .status.cups}}"}
	for _, test := range []struct {
		name               string
		definition, sample []string
		want, not          []string
	}{
		{
			name: "nothing is known of the status",
			want: []string{"The status names no generation", "teapots.size() == 1 && variables.resting\n"},
			not:  []string{"seen:", "ready:", "complete:", "name: scale", "name: change", "\n- name: a status claims"},
		},
		{
			name:       "no schema at all",
			definition: []string{"schema:\n      openAPIV3Schema:\n        properties:\n          " + spec + "\n          " + status, ""},
			want:       []string{"The status names no generation"},
		},
		{
			name:       "a generation",
			definition: []string{status, "status: {properties: {observedGeneration: {type: integer}}}"},
			want: []string{
				"seen: teapots.all(o, o.status.observedGeneration == o.metadata.generation)\n", "variables.resting && variables.seen\n",
				"\n- name: a status claims no generation that does not exist\n",
			},
			not: []string{"The status names no generation"},
		},
		{
			name: "a generation that each write of the status raises",
			definition: []string{status, "status: {properties: {observedGeneration: {type: integer}}}",
				"    subresources: {status: {}}\n", ""},
			want: []string{"The status is no subresource, so that each write of it raises the generation", "variables.resting\n"},
			not:  []string{"seen:", "a status claims", "The status names no generation"},
		},
		{
			name: "a generation of a condition that each write of the status raises",
			definition: []string{status, "status: {properties: {conditions: {type: array, items: {type: object, properties: " +
				"{type: {type: string}, observedGeneration: {type: integer}}}}}}", "{status: {}}",
				"{scale: {specReplicasPath: .spec.cups, statusReplicasPath: .status.cups}}"},
			want: []string{"The status is no subresource"},
			not:  []string{"seen:"},
		},
		{
			name:       "a generation that is text",
			definition: []string{status, "status: {properties: {observedGeneration: {type: string}}}"},
			want:       []string{"o.status.observedGeneration == string(o.metadata.generation)", "int(o.status.observedGeneration) <="},
		},
		{
			name: "conditions of types that are not known",
			definition: []string{status,
				"status: {properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}}}"},
			want: []string{"o.status.conditions.all(c, c.type != 'Ready' || c.status == 'True')", "['Reconciling', 'Stalled']"},
			not:  []string{"'Degraded'"},
		},
		{
			name: "conditions with generations, of types that a description mentions",
			definition: []string{status, "status: {properties: {conditions: {type: array, description: 'Available, Degraded', " +
				"items: {type: object, properties: {type: {type: string}, observedGeneration: {type: integer}}}}}}"},
			want: []string{
				"seen: teapots.all(o, o.status.conditions.exists(c, c.observedGeneration == o.metadata.generation))",
				"c.type == 'Available' && c.status == 'True'", "['Reconciling', 'Stalled', 'Degraded']",
			},
		},
		{
			name: "conditions of a type that a column shows",
			definition: []string{
				status, "status: {properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}}}",
				"served: true", "served: true\n    additionalPrinterColumns: [{name: Ready, type: string, " +
					"jsonPath: '.status.conditions[?(@.type==\"Ready\")].status'}]",
			},
			want: []string{"o.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"},
		},
		{
			name: "a column of that name that is about something else",
			definition: []string{
				status, "status: {properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}}}",
				"served: true", "served: true\n    additionalPrinterColumns: [{name: Ready, type: integer, jsonPath: .status.Ready}]",
			},
			want: []string{"o.status.conditions.all(c, c.type != 'Ready'"},
		},
		{
			name:       "conditions that are none",
			definition: []string{status, "status: {properties: {conditions: {type: array, items: {type: string}}}}"},
			not:        []string{"conditions.exists(c, c.type in"},
		},
		{
			name:       "a phase",
			definition: []string{status, "status: {properties: {phase: {type: string}}}"},
			want:       []string{"The status has a phase, too. Say"},
		},
		{
			name:       "a phase of known values",
			definition: []string{status, "status: {properties: {phase: {type: string, enum: [Brewing, Ready]}}}"},
			want:       []string{"The status has a phase, too: Brewing, Ready. Say"},
		},
		{
			name:       "replicas in the sample, and no scale",
			definition: []string{status, "status: {properties: {readyReplicas: {type: integer}, updatedReplicas: {type: string}}}"},
			sample:     []string{given, "spec: {replicas: 2}"},
			want:       []string{"      spec:\n        replicas: 4\n", "teapots.all(o, o.status.readyReplicas == o.spec.replicas)"},
			not:        []string{"updatedReplicas"},
		},
		{
			name:       "room for one replica more",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, maximum: 3}}}"},
			sample:     []string{given, "spec: {replicas: 2}"},
			want:       []string{"      spec:\n        replicas: 3\n"},
		},
		{
			name:       "room for none, since the maximum is not in it",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, maximum: 3, exclusiveMaximum: true}}}"},
			sample:     []string{given, "spec: {replicas: 2}"},
			want:       []string{"      spec:\n        replicas: 1\n"},
		},
		{
			name:       "room for fewer only, down to none",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, maximum: 1}}}"},
			sample:     []string{given, "spec: {replicas: 1}"},
			want:       []string{"      spec:\n        replicas: 0\n"},
		},
		{
			name:       "no other number of replicas",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, minimum: 1, maximum: 1}}}"},
			sample:     []string{given, "spec: {replicas: 1}"},
			not:        []string{"name: scale"},
		},
		{
			name:       "no other number, since the minimum is not in it",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 1}}}"},
			sample:     []string{given, "spec: {replicas: 1}"},
			not:        []string{"name: scale"},
		},
		{
			name:       "scaled elsewhere, by a field that may be missing",
			definition: scale,
			want:       []string{"pot-size:\n          cups: 3\n", "o.status.cups == o.spec['pot-size'][?'cups'].orValue(1)"},
		},
		{
			name: "scaled elsewhere, by a field with a default",
			definition: append([]string{spec,
				"spec: {properties: {pot-size: {type: object, properties: {cups: {type: integer, default: 5}}}}}"}, scale...),
			want: []string{"cups: 7\n", "o.status.cups == o.spec['pot-size'].cups"},
		},
		{
			name: "scaled by what has replicas of its own",
			definition: []string{spec, "spec: {properties: {shards: {type: integer}, replicas: {type: integer}}}",
				status, "status: {properties: {shards: {type: integer}, replicas: {type: integer}, availableReplicas: {type: integer}}}",
				"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.shards, statusReplicasPath: .status.shards}}"},
			sample: []string{given, "spec: {replicas: 2}"},
			want: []string{"      spec:\n        shards: 3\n",
				"teapots.all(o, o.status.shards == o.spec[?'shards'].orValue(1))\n"},
			not: []string{"eplicas ==", "no pod is created above"},
		},
		{
			name: "scaled by what has replicas of its own, which are not counted",
			definition: []string{spec, "spec: {properties: {shards: {type: integer, default: 1}, replicas: {type: integer}}}",
				status, "status: {properties: {shards: {type: integer}, readyReplicas: {type: integer}}}",
				"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.shards, statusReplicasPath: .status.shards}}"},
			want: []string{"teapots.all(o, o.status.shards == o.spec.shards)\n"},
		},
		{
			name: "scaled by the usual number, and reported elsewhere",
			definition: []string{spec, "spec: {properties: {replicas: {type: integer, default: 1}}}",
				status, "status: {properties: {current: {type: integer}, replicas: {type: integer}}}",
				"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.current}}"},
			want: []string{"o.status.current == o.spec.replicas\n    && o.status.replicas == o.spec.replicas", "no pod is created above"},
		},
		{
			name: "scaled elsewhere, and reported in the usual place",
			definition: []string{spec, "spec: {properties: {cups: {type: integer, default: 1}}}",
				status, "status: {properties: {replicas: {type: integer}, readyReplicas: {type: integer}}}",
				"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.cups, statusReplicasPath: .status.replicas}}"},
			want: []string{"o.status.replicas == o.spec.cups\n    && o.status.readyReplicas == o.spec.cups"},
		},
		{
			name:   "an image in a list",
			sample: []string{given, "spec: {a: [{b: 1}, {image: 'r.example:5000/tea/pot:1@sha256:0', c: 2}], version: '1'}"},
			want: []string{
				"#         - b: 1\n#         - c: 2\n#           image: r.example:5000/tea/pot:another\n",
				"c.image == 'r.example:5000/tea/pot:another'",
			},
			not: []string{"version: another"},
		},
		{
			name:   "a version",
			sample: []string{given, "spec: {lid: {version: '16', colour: brown}}"},
			want:   []string{"#       spec:\n#         lid:\n#           version: another\n"},
			not:    []string{"#           colour", "c.image"},
		},
		{
			name: "a name and labels that YAML would take for something else, and what a cluster adds",
			sample: []string{"{name: brown}", `{name: "1", namespace: shelf, uid: u, labels: {a: "true"}}`,
				given, "status: {phase: x}\nspec: {text: \"{{kubeconfig}} <<.Name>> # 'quoted'\"}"},
			want: []string{`object: "1"}`, `a: "true"`, "text: '{{kubeconfig}} <<.Name>> # ''quoted'''"},
			not:  []string{"shelf", "uid: u", "phase: x"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			definition, sample := definitionFrom(t, teapots, test.definition...), sampleFrom(t, teapot, test.sample...)
			sketch, err := Sketch([]*apiextensionsv1.CustomResourceDefinition{crd.Fleet(), definition}, sample, []string{"crd.yaml"})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(sketch, want) {
					t.Errorf("there is no %q in:\n%s", want, sketch)
				}
			}
			for _, not := range test.not {
				if strings.Contains(sketch, not) {
					t.Errorf("there is %q in:\n%s", not, sketch)
				}
			}
			d := loadSketch(t, sketch)
			if d.Name != "quiet" || d.Operator.Name != "teapot-operator" || d.Operator.Manifests[0] != "crd.yaml" {
				t.Errorf("the operator is %+v", d.Operator)
			}
			_, body, _ := strings.Cut(sketch, "\nname: ")
			more := loadSketch(t, "name: "+suggestion.ReplaceAllString(body, "$1$2"))
			changes := strings.Count(sketch, "# - name: change")
			if len(more.Scenario) != len(d.Scenario)+changes || len(more.Observe) < 5 || len(more.Operator.Alone) == 0 ||
				len(more.Invariants) == len(d.Invariants) {
				t.Errorf("the suggestions are not taken: %+v", more)
			}
		})
	}
}

// TestSketchSettled holds what a sketch awaits against objects that are on their way, and one that has arrived.
func TestSketchSettled(t *testing.T) {
	definition := definitionFrom(t, teapots,
		"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.cups, statusReplicasPath: .status.cups}}",
		"status: {properties: {}}", "status: {properties: {observedGeneration: {type: integer}, readyReplicas: {type: integer}, "+
			"conditions: {type: array, description: Ready, items: {type: object, properties: {type: {type: string}}}}}}")
	sketch, err := Sketch([]*apiextensionsv1.CustomResourceDefinition{definition}, sampleFrom(t, teapot), nil)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compile(loadSketch(t, sketch))
	if err != nil {
		t.Fatal(err)
	}
	const (
		settled = `{metadata: {generation: 2}, spec: {cups: 3}, status: {observedGeneration: 2, cups: 3, readyReplicas: 3,
conditions: [{type: Ready, status: "True"}, {type: Stalled, status: "False"}]}}`
		ready = `{metadata: {}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`
	)
	for _, test := range []struct {
		name         string
		teapot, pods []string
		want         bool
	}{
		{"arrived", nil, nil, true},
		{"one cup by default", []string{"{cups: 3}", "{}", "cups: 3", "cups: 1", "Replicas: 3", "Replicas: 1"}, nil, true},
		{"by default, and more than one", []string{"{cups: 3}", "{}"}, nil, false},
		{"no status", []string{"status: {observed", "was: {observed"}, nil, false},
		{"an older spec was seen", []string{"observedGeneration: 2", "observedGeneration: 1"}, nil, false},
		{"not ready", []string{`"True"`, `"False"`}, nil, false},
		{"no condition", []string{"type: Ready", "type: Brewing"}, nil, false},
		{"stalled", []string{`"False"`, `"True"`}, nil, false},
		{"not as many as wanted", []string{"status: {observedGeneration: 2, cups: 3", "status: {observedGeneration: 2, cups: 2"}, nil, false},
		{"not as many are ready", []string{"readyReplicas: 3", "readyReplicas: 2"}, nil, false},
		{"a pod is new", nil, []string{"conditions", "were"}, false},
		{"a pod is not ready", nil, []string{`"True"`, `"False"`}, false},
		{"a pod has finished", nil, []string{`"True"`, `"False"`, "Running", "Succeeded"}, true},
		{"a pod terminates", nil, []string{"metadata: {}", "metadata: {deletionTimestamp: now}"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			of := func(text string) any { return sampleObject(t, text) }
			seen := compiled.scope(view{objects: map[string][]any{
				"teapots": {of(replaced(t, settled, test.teapot...))}, "pods": {of(ready), of(replaced(t, ready, test.pods...))},
			}})
			if got, err := seen.truth(compiled.scenario[0].await); got != test.want {
				t.Errorf("settled is %t (%v), want %t", got, err, test.want)
			}
		})
	}
}

// sampleObject is an object in YAML as expressions see it, whose numbers are integers.
func sampleObject(t *testing.T, text string) map[string]any {
	t.Helper()
	return sampleFrom(t, "apiVersion: v1\nkind: Any\nis: "+strings.ReplaceAll(text, "\n", " ")).Object["is"].(map[string]any)
}

// TestSketchOfALongKind has names that a namespace can begin with.
func TestSketchOfALongKind(t *testing.T) {
	kind := "T" + strings.Repeat("ea", 31)
	sketch, err := Sketch([]*apiextensionsv1.CustomResourceDefinition{definitionFrom(t, teapots, "kind: Teapot", "kind: "+kind)},
		sampleFrom(t, teapot, "kind: Teapot", "kind: "+kind), nil)
	if err != nil {
		t.Fatal(err)
	}
	loadSketch(t, sketch)
}

func TestSketchOfWhatCannotBeDrilled(t *testing.T) {
	for _, test := range []struct {
		name               string
		definition, sample []string
		want               string
	}{
		{"another kind", nil, []string{"kind: Teapot", "kind: Cup"}, "the sample is a Cup.tea.example.com, and what is defined is Teapot.tea.example.com"},
		{"another group", nil, []string{"tea.example.com/v1", "v1"}, "the sample is a Teapot, and what is defined is"},
		{"a version that is not served", nil, []string{"/v1", "/v0"}, "does not serve: make it tea.example.com/v1"},
		{"a resource of the cluster", []string{"Namespaced", "Cluster"}, nil, "teapots.tea.example.com cannot be drilled: it is of the whole cluster"},
		{"a plural that is no name", []string{"plural: teapots", "plural: tea-pots"}, nil, "expressions cannot have the name tea-pots"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Sketch([]*apiextensionsv1.CustomResourceDefinition{definitionFrom(t, teapots, test.definition...)},
				sampleFrom(t, teapot, test.sample...), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
		})
	}
}
