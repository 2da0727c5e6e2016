package drill

import (
	"regexp"
	"slices"
	"strings"
)

// The last words of an operator are so many lines at the most, each of so many characters.
const (
	manyWords = 5
	longLine  = 300
)

// calls are those of a stack, as Go prints it: a function, and below it the line of its file.
var calls = regexp.MustCompile(`(?m)^\S.*\n\s+\S+\.go:\d+.*\n?`)

// lastWords are the last lines that the operator printed, each but once if it differs in times, numbers and ids only; without
// stacks, and without what client-go prints at every start.
func lastWords(log string) string {
	lines := strings.Split(calls.ReplaceAllString(tail(log, 1000), ""), "\n")
	var words []string
	said := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		what := withoutParticulars(line)
		if line == "" || said[what] || strings.Contains(line, "Feature gate default state") {
			continue
		}
		if said[what] = true; len(said) > manyWords {
			break
		}
		words = append(words, shortened(line, longLine))
	}
	if len(words) == 0 {
		return "The operator printed nothing."
	}
	slices.Reverse(words)
	return "The operator's last words:\n  " + strings.Join(words, "\n  ")
}

// shortened is the beginning of a text.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
