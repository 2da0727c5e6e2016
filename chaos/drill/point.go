package drill

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// Point is what one run of a drill is about. It is one of
//   - a fault at a write: `roll: POST pods #3, after`;
//   - two of them, the second after the restart: `roll: POST pods #3, after; roll again: DELETE pods #1, before`;
//   - the silence after a step: `roll, silence`;
//   - a case, and which repetition of it: `sigkill #2`.
type Point struct {
	Blow
	// Again is the second blow of a pair.
	Again Blow
	// Case and Round name a repetition of a case, counted from 1; 0 where a case is not repeated.
	Case  string
	Round int
}

// Blow is a fault at a write.
type Blow struct {
	proxy.Place
	Fault Fault
}

// again is what the name of a step is followed by when its work goes on after a restart.
const again = " again"

func (b Blow) String() string {
	if b.Kind == "" {
		return b.Step + ", " + string(b.Fault)
	}
	return b.Place.String() + ", " + string(b.Fault)
}

func (p Point) String() string {
	switch {
	case p.Case != "" && p.Round > 0:
		return p.Case + " #" + strconv.Itoa(p.Round)
	case p.Case != "":
		return p.Case
	case p.Again != Blow{}:
		return p.Blow.String() + "; " + p.Again.String()
	}
	return p.Blow.String()
}

// MarshalText writes a point as String does.
func (p Point) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// blows are the faults of a point, in their order.
func (p Point) blows() []Blow {
	switch {
	case p.Case != "" || p.Fault == Silence:
		return nil
	case p.Again != Blow{}:
		return []Blow{p.Blow, p.Again}
	}
	return []Blow{p.Blow}
}

// ParsePoint reads what String writes.
func ParsePoint(text string) (Point, error) {
	if unspaced.MatchString(text) {
		return Point{}, fmt.Errorf("point %q: write a space after each comma and semicolon, as in `roll: POST pods #3, after; "+
			"roll again: DELETE pods #1, before`", text)
	}
	if !strings.Contains(text, ", ") {
		return parseCase(text)
	}
	first, second, pair := strings.Cut(text, "; ")
	blow, err := parseBlow(first)
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	if !pair {
		return Point{Blow: blow}, nil
	}
	next, err := parseBlow(second)
	if err == nil && !(blow.Fault.kills() && next.Fault.kills() && next.Step == blow.Step+again) {
		err = fmt.Errorf("a pair is of two kills, the second in `%s%s`", blow.Step, again)
	}
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	return Point{Blow: blow, Again: next}, nil
}

// unspaced is a separator that only half is there.
var unspaced = regexp.MustCompile(`[,;]\S`)

func parseCase(text string) (Point, error) {
	name, number, repeated := strings.Cut(text, " #")
	if strings.ContainsAny(name, ": ") || name == "" {
		return Point{}, fmt.Errorf("point %q: must be a case, or end in a fault, as in `, before` or `, after`", text)
	}
	if !repeated {
		return Point{Case: name}, nil
	}
	round, err := strconv.Atoi(number)
	if err != nil || round < 1 {
		return Point{}, fmt.Errorf("point %q: want a number from 1 after #, not %q", text, number)
	}
	return Point{Case: name, Round: round}, nil
}

func parseBlow(text string) (Blow, error) {
	place, name, _ := strings.Cut(text, ", ")
	fault := Fault(name)
	if fault == Silence {
		if place == "" {
			return Blow{}, errors.New("must name a step, as in `roll, silence`")
		}
		return Blow{proxy.Place{Step: place}, fault}, nil
	}
	if err := fault.validate(); err != nil {
		return Blow{}, fmt.Errorf("the fault %w", err)
	}
	parsed, err := proxy.ParsePlace(place)
	if err != nil {
		return Blow{}, err
	}
	if parsed.Step == "" || parsed.Ordinal == 0 {
		return Blow{}, fmt.Errorf("must name a step and a number, as in `roll: POST pods #3, after`")
	}
	return Blow{parsed, fault}, nil
}

// points are the faults at every place where they make sense: a DNS server answers with no HTTP status.
func points(places []proxy.Place, faults []Fault, dns proxy.Kind) []Point {
	var all []Point
	for _, place := range places {
		for _, fault := range faults {
			if place.Kind != dns || fault.status() == 0 {
				all = append(all, Point{Blow: Blow{place, fault}})
			}
		}
	}
	return all
}

// silences are the points after each step.
func silences(scenario []Step) []Point {
	var all []Point
	for _, step := range scenario {
		all = append(all, Point{Blow: Blow{proxy.Place{Step: step.Name}, Silence}})
	}
	return all
}

// rounds are the points of the cases.
func rounds(cases []Case) []Point {
	var all []Point
	for _, c := range cases {
		if c.Repeat == 1 {
			all = append(all, Point{Case: c.Name})
			continue
		}
		for round := range c.Repeat {
			all = append(all, Point{Case: c.Name, Round: round + 1})
		}
	}
	return all
}

// shard is every n-th point from the i-th on, counted from 1.
func shard(all []Point, i, n int) []Point {
	var some []Point
	for at := i - 1; at < len(all); at += n {
		some = append(some, all[at])
	}
	return some
}
