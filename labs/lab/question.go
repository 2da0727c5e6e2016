package lab

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Question asks for a prediction of a measurement.
type Question struct {
	// Name is the measurement's: lower case words with hyphens, such as gap-3.
	Name string
	Text string
	// Answer is the kind of answer that is wanted: a Number, a Choice or an Ordering.
	Answer Answer
}

// Answer is a kind of answer. Predictions and measurements of one kind have the same written form.
type Answer interface {
	// Hint says in a few words what can be answered.
	Hint() string
	// Options are what is chosen from or put in order; they go by the letters a, b, c and so on. None for a number.
	Options() []string
	// Parse is an answer in its written form. The error says what can be answered.
	Parse(text string) (string, error)
	// Agrees tells whether a prediction counts as right.
	Agrees(predicted, measured string) bool
}

// Number is answered with one, which counts as right if it is at most Within away from what is measured.
type Number struct {
	// Unit is that of the answer and of the measurement; empty for a count.
	Unit   string
	Within float64
}

func (n Number) Hint() string {
	if n.Unit == "" {
		return "a number"
	}
	return "a number of " + n.Unit
}

func (Number) Options() []string { return nil }

func (n Number) Parse(text string) (string, error) {
	number, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), n.Unit)), 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return "", fmt.Errorf("%q is not %s: answer such as %s", text, n.Hint(), withUnit("20", n.Unit))
	}
	return written(number), nil
}

func (n Number) Agrees(predicted, measured string) bool {
	p, err := strconv.ParseFloat(predicted, 64)
	if err != nil {
		return false
	}
	m, err := strconv.ParseFloat(measured, 64)
	return err == nil && math.Abs(p-m) <= n.Within
}

// Choice is answered with one of its options.
type Choice []string

// YesOrNo is the choice for what is so or is not.
var YesOrNo = Choice{"yes", "no"}

func (c Choice) Hint() string { return "one of " + letters(c) }

func (c Choice) Options() []string { return c }

func (c Choice) Parse(text string) (string, error) {
	if option, ok := pick(c, text); ok {
		return option, nil
	}
	return "", fmt.Errorf("%q is not one of the options: answer with a letter, %s, or with its text", text, letters(c))
}

func (c Choice) Agrees(predicted, measured string) bool { return predicted == measured }

// Ordering is answered with all of its options, the first first. None of them has a comma.
type Ordering []string

func (o Ordering) Hint() string { return "all of " + letters(o) + ", the first first" }

func (o Ordering) Options() []string { return o }

func (o Ordering) Parse(text string) (string, error) {
	parts := strings.Split(text, ",")
	if len(parts) == 1 {
		parts = strings.Fields(text)
	}
	if len(parts) == 1 && len(o) > 1 {
		parts = strings.Split(parts[0], "") // letters, without blanks between them
	}
	var order []string
	for _, part := range parts {
		option, ok := pick(o, part)
		if !ok || slices.Contains(order, option) {
			return "", o.refuse(text)
		}
		order = append(order, option)
	}
	if len(order) != len(o) {
		return "", o.refuse(text)
	}
	return inOrder(order), nil
}

func (o Ordering) refuse(text string) error {
	var all []string
	for i := range o {
		all = append(all, Letter(i))
	}
	return fmt.Errorf("%q does not name every option once: answer with the letters in your order, such as %s",
		text, strings.Join(all, " "))
}

func (o Ordering) Agrees(predicted, measured string) bool { return predicted == measured }

// Letter is what an option goes by.
func Letter(i int) string { return string(rune('a' + i)) }

func letters(options []string) string { return "a to " + Letter(len(options)-1) }

// pick is the option with this text or letter.
func pick(options []string, text string) (string, bool) {
	text = strings.TrimSpace(text)
	for i, option := range options {
		if strings.EqualFold(text, Letter(i)) || strings.EqualFold(withoutArticle(text), withoutArticle(option)) {
			return option, true
		}
	}
	return "", false
}

var article = regexp.MustCompile(`^(?i:a|an|the) `)

func withoutArticle(text string) string { return article.ReplaceAllString(text, "") }

func inOrder(items []string) string { return strings.Join(items, ", ") }

func written(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func withUnit(value, unit string) string {
	if unit == "" {
		return value
	}
	return value + " " + unit
}
