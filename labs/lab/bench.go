package lab

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Bench is where an experiment takes place: it is told what happens, and keeps what is measured.
type Bench struct {
	lab          Lab
	out          io.Writer
	measurements []Measurement
}

// Measurement is what an experiment found, in the written form of answers.
type Measurement struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"`
}

func (m Measurement) String() string { return withUnit(m.Value, m.Unit) }

// NewBench is a bench on which nothing was measured yet. What is said goes to out.
func NewBench(l Lab, out io.Writer) *Bench { return &Bench{lab: l, out: out} }

// Say tells the learner something, in a line.
func (b *Bench) Say(format string, args ...any) {
	fmt.Fprintf(b.out, format, args...)
	fmt.Fprintln(b.out)
}

// Write lets tables be written among what is said.
func (b *Bench) Write(p []byte) (int, error) { return b.out.Write(p) }

// Measure keeps a measurement: an int, a float64, a time.Duration, a string (of a Choice), a bool (of
// YesOrNo), or a []string (of an Ordering). A
// duration is kept in the unit of its question, or in milliseconds. To measure a name twice is a bug of the lab.
func (b *Bench) Measure(name string, value any) {
	if slices.ContainsFunc(b.measurements, func(m Measurement) bool { return m.Name == name }) {
		panic(fmt.Sprintf("lab %d measures %s twice", b.lab.Number, name))
	}
	m := Measurement{Name: name}
	if question := b.lab.Question(name); question != nil {
		if number, ok := question.Answer.(Number); ok {
			m.Unit = number.Unit
		}
	}
	switch value := value.(type) {
	case int:
		m.Value = written(float64(value))
	case float64:
		m.Value = written(value)
	case string:
		m.Value = value
	case bool:
		m.Value = map[bool]string{true: "yes", false: "no"}[value]
	case []string:
		m.Value = inOrder(value)
	case time.Duration:
		if m.Unit == "" {
			m.Unit = "ms"
		}
		unit, err := time.ParseDuration("1" + m.Unit)
		if err != nil {
			panic(fmt.Sprintf("lab %d measures %s, a duration, in %q", b.lab.Number, name, m.Unit))
		}
		m.Value = written(float64(value) / float64(unit))
	default:
		panic(fmt.Sprintf("lab %d measures %s as a %T", b.lab.Number, name, value))
	}
	b.measurements = append(b.measurements, m)
}

// Measurements are all, in the order in which they were made.
func (b *Bench) Measurements() []Measurement { return b.measurements }
