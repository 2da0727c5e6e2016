package drill

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// WriteJSON writes the reports: a list, or the one there is.
func (all Reports) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all.value())
}

// WriteYAML writes what WriteJSON does, as YAML.
func (all Reports) WriteYAML(w io.Writer) error {
	text, err := yaml.Marshal(all.value())
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (all Reports) value() any {
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// The elements of JUnit's XML that test runners agree on
// (https://github.com/junit-team/junit5/blob/main/platform-tests/src/test/resources/jenkins-junit.xsd).
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a test suite for each report and a test case for each point.
func (all Reports) WriteJUnit(w io.Writer) error {
	var document junitSuites
	for _, r := range all {
		suite := junitSuite{
			Name: r.Summary.Operator + " " + r.Summary.Drill, Tests: r.Summary.Points, Failures: r.Summary.Failed,
			Time: fmt.Sprintf("%.3f", r.Summary.Seconds),
		}
		for _, p := range r.Points {
			suite.Cases = append(suite.Cases, junitCase{
				Class: r.Summary.Operator + "." + r.Summary.Drill, Name: p.Point.String(),
				Time: fmt.Sprintf("%.3f", p.Seconds), Failure: p.junitFailure(),
			})
		}
		if r.Summary.Interrupted {
			suite.Tests, suite.Errors = suite.Tests+1, 1
			suite.Cases = append(suite.Cases, junitCase{
				Class: r.Summary.Operator + "." + r.Summary.Drill, Name: "all points", Time: "0",
				Error: &junitFailure{Message: "interrupted: there are more points than these"},
			})
		}
		document.Suites = append(document.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitFailure returns nil for a point at which the operator did not fail.
func (p PointResult) junitFailure() *junitFailure {
	if !p.Verdict.fails() {
		return nil
	}
	failure := &junitFailure{Message: string(p.Verdict)}
	for _, finding := range p.Findings {
		if !finding.Expected {
			failure.Message = finding.Oracle
			failure.Text += finding.Oracle + ": " + finding.Text + "\n"
		}
	}
	failure.Text += p.Log
	return failure
}
