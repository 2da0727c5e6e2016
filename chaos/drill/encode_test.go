package drill

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// encodedReports are of two operators. Each has a point of every sort, and text that XML and YAML could trip over.
func encodedReports() Reports {
	twice := Reports{exampleReport(), exampleReport()}
	for _, r := range twice {
		r.Points = append(r.Points, PointResult{
			Point: Point{Case: "sigkill", Round: 2}, Injected: true, Verdict: Passed, Attempts: 1, Seconds: 2.5,
			Findings: []Finding{{Oracle: Leaks, Text: "a record", Expected: true}},
			HandOver: &HandOver{NewHolder: 15, FirstWrite: 16, From: 13, To: 23.8, Former: []FormerWrite{{Request: "POST pods", At: 17}}},
			Measures: map[string]int{"surplus pods": 3}, Log: "\x1b[31mred\x00 ]]> & \xff",
		})
		r.Summary.Points, r.Summary.Injected, r.Summary.Passed = 5, 4, 3
	}
	return twice
}

// junitRead is a JUnit document as somebody else's program reads it.
type junitRead struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []struct {
		Name     string  `xml:"name,attr"`
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Time     float64 `xml:"time,attr"`
		Cases    []struct {
			Class   string  `xml:"classname,attr"`
			Name    string  `xml:"name,attr"`
			Time    float64 `xml:"time,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnit(t *testing.T) {
	reports := encodedReports()
	var text bytes.Buffer
	if err := reports.WriteJUnit(&text); err != nil {
		t.Fatal(err)
	}
	var document junitRead
	decoder := xml.NewDecoder(strings.NewReader(strings.TrimSpace(text.String())))
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("it is no XML: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Errorf("something follows the document: %v", err)
	}
	if len(document.Suites) != len(reports) {
		t.Fatalf("%d suites, want one for each of %d reports", len(document.Suites), len(reports))
	}
	for i, suite := range document.Suites {
		failed := 0
		for j, one := range suite.Cases {
			if one.Failure != nil {
				failed++
			}
			if want := reports[i].Points[j]; (one.Failure == nil) != (want.Verdict == Passed) || one.Time != want.Seconds {
				t.Errorf("point %d, %s: failure %v, %v s", j, want.Verdict, one.Failure, one.Time)
			}
		}
		want := reports[i].Summary
		if suite.Tests != want.Points || len(suite.Cases) != want.Points || suite.Failures != want.Failed || failed != want.Failed {
			t.Errorf("%d tests, %d of them there, %d failures, %d of them there; want %d and %d",
				suite.Tests, len(suite.Cases), suite.Failures, failed, want.Points, want.Failed)
		}
		if suite.Name != hostile+" crash" || suite.Time != want.Seconds || suite.Cases[0].Class != hostile+".crash" {
			t.Errorf("suite %q, %v s, class %q", suite.Name, suite.Time, suite.Cases[0].Class)
		}
		if name := suite.Cases[4].Name; name != "sigkill #2" {
			t.Errorf("the case is named %q", name)
		}
		if failure := suite.Cases[1].Failure; failure.Message != Health || !strings.Contains(failure.Text, "leaks: "+hostile) {
			t.Errorf("failure %+v", failure)
		}
		if failure := suite.Cases[2].Failure; failure.Message != string(NotReached) {
			t.Errorf("failure of a point that was not reached: %+v", failure)
		}
	}
}

func TestYAMLSaysWhatJSONDoes(t *testing.T) {
	for name, reports := range map[string]Reports{"one": encodedReports()[:1], "two": encodedReports()} {
		var asJSON, asYAML bytes.Buffer
		if err := reports.WriteJSON(&asJSON); err != nil {
			t.Fatal(err)
		}
		if err := reports.WriteYAML(&asYAML); err != nil {
			t.Fatal(err)
		}
		var one, other any
		if err := json.Unmarshal(asJSON.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(asYAML.Bytes(), &other); err != nil {
			t.Fatalf("it is no YAML: %v\n%s", err, asYAML.String())
		}
		if difference := cmp.Diff(one, other); difference != "" {
			t.Errorf("%s: - JSON, + YAML\n%s", name, difference)
		}
		if _, list := one.([]any); list != (len(reports) > 1) {
			t.Errorf("%s: a list: %t", name, list)
		}
	}
}

func TestPointInJSON(t *testing.T) {
	text, err := json.Marshal(encodedReports()[0].Points[4])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"point":"sigkill #2"`, `"expected":true`, `"newHolder":15`, `"surplus pods":3`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
}
