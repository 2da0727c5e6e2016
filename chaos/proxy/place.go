package proxy

import (
	"fmt"
	"strconv"
	"strings"
)

// A Place says where in a run a request stands: the third `POST pods` of the step `roll`. It is named by meaning
// and not by a global sequence number, so that it means the same in the next run, whatever else happened between.
//
// In a pattern a field left zero stands for anything.
type Place struct {
	// Step is the step of the scenario in which the request arrived; see [Proxy.Mark].
	Step string
	Kind Kind
	// Ordinal counts the requests of that kind in that step, in order of arrival, from 1.
	// It is 0 for a request that came from an operator whose life a freeze had already ended.
	Ordinal int
}

// Covers tells whether the pattern p stands for place.
func (p Place) Covers(place Place) bool {
	return (p.Step == "" || p.Step == place.Step) &&
		(p.Kind == "" || p.Kind == place.Kind) &&
		(p.Ordinal == 0 || p.Ordinal == place.Ordinal)
}

// String writes the place as [ParsePlace] reads it: `roll: POST pods #3`, without the parts that are zero.
func (p Place) String() string {
	text := string(p.Kind)
	if p.Step != "" {
		text = p.Step + ": " + text
	}
	if p.Ordinal != 0 {
		text += " #" + strconv.Itoa(p.Ordinal)
	}
	return text
}

// ParsePlace reads `roll: POST pods #3`. The step and the ordinal may be missing, the kind may not.
func ParsePlace(text string) (Place, error) {
	var place Place
	rest := text
	if step, after, ok := strings.Cut(rest, ": "); ok {
		place.Step, rest = step, after
	}
	if kind, ordinal, ok := strings.Cut(rest, " #"); ok {
		n, err := strconv.ParseUint(ordinal, 10, 31)
		if err != nil || n == 0 {
			return Place{}, fmt.Errorf("place %q: want a number from 1 after #, not %q", text, ordinal)
		}
		place.Ordinal, rest = int(n), kind
	}
	kind, err := ParseKind(rest)
	if err != nil {
		return Place{}, fmt.Errorf("place %q: %w", text, err)
	}
	place.Kind = kind
	return place, nil
}
