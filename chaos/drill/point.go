package drill

import (
	"fmt"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// When says on which side of a write the operator is killed.
type When string

const (
	// Before: the write was not sent on.
	Before When = "before"
	// After: the write was carried out, and the operator did not hear of it.
	After When = "after"
)

// Point is a place in the scenario at which a fault is injected, such as `roll: POST pods #3, after`.
type Point struct {
	proxy.Place
	When When
}

func (p Point) String() string { return p.Place.String() + ", " + string(p.When) }

// MarshalText writes a point as String does.
func (p Point) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePoint reads what String writes.
func ParsePoint(text string) (Point, error) {
	place, when, ok := strings.Cut(text, ", ")
	if !ok || When(when) != Before && When(when) != After {
		return Point{}, fmt.Errorf("point %q: must end in `, before` or `, after`", text)
	}
	parsed, err := proxy.ParsePlace(place)
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	if parsed.Step == "" || parsed.Ordinal == 0 {
		return Point{}, fmt.Errorf("point %q: must name a step and a number, as in `roll: POST pods #3, after`", text)
	}
	return Point{parsed, When(when)}, nil
}

// points are the two sides of every place.
func points(places []proxy.Place) []Point {
	var all []Point
	for _, place := range places {
		all = append(all, Point{place, Before}, Point{place, After})
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
