package drill

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFieldsThatDifferWithoutAFault are named as narrowly as they can be, and make two runs equal that have the same objects.
func TestFieldsThatDifferWithoutAFault(t *testing.T) {
	for _, test := range []struct {
		name    string
		runs    [][]string
		want    []string
		objects string // what is said of objects that only some have
	}{
		{"none", [][]string{{`configmaps {metadata: {name: a}, data: {x: "1"}}`}, {`configmaps {metadata: {name: a}, data: {x: "1"}}`}}, nil, ""},
		{"a key, where the others are stable",
			[][]string{{`configmaps {metadata: {name: a}, data: {x/y: "1", z: "1"}}`}, {`configmaps {metadata: {name: a}, data: {x/y: "2", z: "1"}}`}},
			[]string{"configmaps: data['x/y']"}, ""},
		{"keys that are drawn",
			[][]string{{`configmaps {metadata: {name: a}, data: {x1: "1"}}`}, {`configmaps {metadata: {name: a}, data: {x2: "1"}}`}},
			[]string{"configmaps: data"}, ""},
		{"a key that only one run has",
			[][]string{{`configmaps {metadata: {name: a}, data: {x: "1", z: "1"}}`}, {`configmaps {metadata: {name: a}, data: {z: "1"}}`}},
			[]string{"configmaps: data.x"}, ""},
		{"of one of several objects",
			[][]string{{`configmaps {metadata: {name: a}, data: {x: "1"}}`, `configmaps {metadata: {name: b}, data: {x: "1"}}`},
				{`configmaps {metadata: {name: a}, data: {x: "2"}}`, `configmaps {metadata: {name: b}, data: {x: "1"}}`}},
			[]string{"configmaps/a: data.x"}, ""},
		{"of all of several objects",
			[][]string{{`configmaps {metadata: {name: a}, data: {x: "1"}}`, `configmaps {metadata: {name: b}, data: {x: "1"}}`},
				{`configmaps {metadata: {name: a}, data: {x: "2"}}`, `configmaps {metadata: {name: b}, data: {x: "3"}}`}},
			[]string{"configmaps: data.x"}, ""},
		{"of objects with generated names",
			[][]string{{`pods {metadata: {name: w-a1, generateName: w-, labels: {n: "1"}}, spec: {x: 1}}`, `pods {metadata: {name: w-a2, generateName: w-, labels: {n: "2"}}, spec: {x: 2}}`},
				{`pods {metadata: {name: w-b1, generateName: w-, labels: {n: "2"}}, spec: {x: 3}}`, `pods {metadata: {name: w-b2, generateName: w-, labels: {n: "1"}}, spec: {x: 4}}`}},
			[]string{"pods: spec.x"}, ""},
		{"of one condition",
			[][]string{{`webs {metadata: {name: a}, status: {conditions: [{type: Ready, message: took 1s}, {type: Up, message: yes}]}}`},
				{`webs {metadata: {name: a}, status: {conditions: [{type: Ready, message: took 2s}, {type: Up, message: yes}]}}`}},
			[]string{`webs: status.conditions[?(@.type=="Ready")].message`}, ""},
		{"a condition that only one run has",
			[][]string{{`webs {metadata: {name: a}, status: {conditions: [{type: Ready}, {type: Up}]}}`}, {`webs {metadata: {name: a}, status: {conditions: [{type: Ready}]}}`}},
			[]string{`webs: status.conditions[?(@.type=="Up")]`}, ""},
		{"of the elements of a list",
			[][]string{{`webs {metadata: {name: a}, spec: {ports: [{n: a, port: 1}, {n: b, port: 2}]}}`}, {`webs {metadata: {name: a}, spec: {ports: [{n: a, port: 3}, {n: b, port: 4}]}}`}},
			[]string{"webs: spec.ports[*].port"}, ""},
		{"a list", [][]string{{`webs {metadata: {name: a}, spec: {names: [a, b]}}`}, {`webs {metadata: {name: a}, spec: {names: [a, c]}}`}},
			[]string{"webs: spec.names"}, ""},
		{"in the third run only",
			[][]string{{`webs {metadata: {name: a}, spec: {x: 1, w: 1}}`}, {`webs {metadata: {name: a}, spec: {x: 2, w: 1}}`}, {`webs {metadata: {name: a}, spec: {x: 1, w: 2}}`}},
			[]string{"webs: spec.x", "webs: spec.w"}, ""},
		{"objects",
			[][]string{{`webs {metadata: {name: a}, spec: {x: 1}}`}, {`webs {metadata: {name: a}, spec: {x: 2}}`, `pods {metadata: {name: b}}`}},
			[]string{"webs: spec.x"}, `+ pods {"metadata":{"name":"b"}}` + "\n"},
		{"names", [][]string{{`pods {metadata: {name: a}}`}, {`pods {metadata: {name: b}}`}}, nil,
			`- pods {"metadata":{"name":"a"}}` + "\n" + `+ pods {"metadata":{"name":"b"}}` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var runs []snapshot
			for _, events := range test.runs {
				runs = append(runs, run(t, "one", events...).snapshot())
			}
			fields, objects := unstable(runs)
			var got []string
			for _, f := range fields {
				got = append(got, f.String())
			}
			if !slices.Equal(got, test.want) || objects != test.objects {
				t.Errorf("got %q and %q, want %q and %q", got, objects, test.want, test.objects)
			}
			for _, other := range runs[1:] {
				if same := other.without(fields).equal(runs[0].without(fields)); same != (objects == "") {
					t.Errorf("without %q they are the same: %t", got, same)
				}
			}
		})
	}
}

// TestIgnoreLineIsRead as it was written, in a drill file.
func TestIgnoreLineIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(anyIgnored(rapid.SampledFrom([]string{"", "pods", "records"}))).Draw(t, "ignored")
		definition, err := Parse("small", []byte(small+"\n"+ignoreLine(want)+"\n"))
		if err != nil {
			t.Fatalf("%s: %v", ignoreLine(want), err)
		}
		if !slices.EqualFunc(want, definition.Ignore, Ignored.equal) {
			t.Fatalf("%s is read as %v", ignoreLine(want), definition.Ignore)
		}
	})
	line := ignoreLine(ignoring(t, "services: spec.ports[*].nodePort", `status.conditions[?(@.type=="Ready")].message`))
	if want := `ignore: ["services: spec.ports[*].nodePort", "status.conditions[?(@.type==\"Ready\")].message"]`; line != want {
		t.Errorf("got %s, want %s", line, want)
	}
	if strings.Contains(line, "\n") {
		t.Error("it is more than a line")
	}
}
