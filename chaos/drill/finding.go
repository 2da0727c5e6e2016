package drill

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Finding is something that an operator did wrong.
type Finding struct {
	// Oracle is the question that it is the answer to: converges, final state, safe, leaks, health.
	Oracle string `json:"oracle"`
	Text   string `json:"text"`
	// Expected is set for what a case is there to show.
	Expected bool `json:"expected,omitempty"`

	cause string    // what it has in common with others, where that is not its text
	step  string    // the step that it is about; empty where that is not known
	at    time.Time // when it was; zero where that is not known
	lost  bool      // objects are missing that there are without a fault
}

// key returns what two findings have in common that were made of one cause.
func (f Finding) key() string {
	return f.Oracle + ": " + cmp.Or(f.cause, withoutParticulars(f.Text))
}

// lostFirst puts the findings of lost objects before the others.
func lostFirst(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return lossOrder(a.lost, b.lost) })
	return findings
}

// lossOrder compares a finding of lost objects, which comes first, with another.
func lossOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// withWords returns a finding together with the operator's last words: right after its first line where a step did not come to its
// end, since they are likely to hold the cause.
func (f Finding) withWords(words string) string {
	if f.Oracle != Converges {
		return f.Text + "\n" + words
	}
	first, rest, _ := strings.Cut(f.Text, "\n")
	return strings.TrimSuffix(first+"\n"+words+"\n"+rest, "\n")
}

var differing = regexp.MustCompile(`(?m)^[-+].*`)

// Brief returns the text in a line, the first difference included.
func (f Finding) Brief() string {
	first, rest, _ := strings.Cut(f.Text, "\n")
	if f.Oracle == FinalState {
		difference := strings.Join(strings.Fields(differing.FindString(rest)), " ")
		return first + " " + shortened(difference, 120)
	}
	return strings.TrimSuffix(first, "; there were:")
}
