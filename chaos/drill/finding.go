package drill

import (
	"cmp"
	"regexp"
	"strings"
	"time"
)

// Finding is something that an operator did wrong.
type Finding struct {
	// Oracle is the question that it is the answer to: converges, same place, safe, leaks, honest.
	Oracle string `json:"oracle"`
	Text   string `json:"text"`
	// Expected is set for what a case is there to show.
	Expected bool `json:"expected,omitempty"`

	cause string // what it has in common with others, where that is not its text
	// step is the one that it is about, at when it happened; empty and zero where that is not known.
	step string
	at   time.Time
}

// key is what two findings have in common that were made of one cause.
func (f Finding) key() string {
	return f.Oracle + ": " + cmp.Or(f.cause, withoutParticulars(f.Text))
}

// withWords is a finding together with the operator's last words: right after its first line where a step did not come to its
// end, since they are likely to hold the cause.
func (f Finding) withWords(words string) string {
	if f.Oracle != Converges {
		return f.Text + "\n" + words
	}
	first, rest, _ := strings.Cut(f.Text, "\n")
	return strings.TrimSuffix(first+"\n"+words+"\n"+rest, "\n")
}

var differing = regexp.MustCompile(`(?m)^[-+].*`)

// Brief is the text in a line, the first difference included.
func (f Finding) Brief() string {
	first, rest, _ := strings.Cut(f.Text, "\n")
	if f.Oracle == SamePlace {
		difference := strings.Join(strings.Fields(differing.FindString(rest)), " ")
		return first + " " + shortened(difference, 120)
	}
	return strings.TrimSuffix(first, "; there were:")
}
