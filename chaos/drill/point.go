package drill

import (
	"fmt"
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// Point is a place in the scenario at which a fault is injected, such as `roll: POST pods #3, after`.
type Point struct {
	proxy.Place
	Fault Fault
}

func (p Point) String() string { return p.Place.String() + ", " + string(p.Fault) }

// MarshalText writes a point as String does.
func (p Point) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePoint reads what String writes.
func ParsePoint(text string) (Point, error) {
	place, fault, ok := strings.Cut(text, ", ")
	if !ok {
		return Point{}, fmt.Errorf("point %q: must end in a fault, as in `, before` or `, after`", text)
	}
	if err := Fault(fault).validate(); err != nil {
		return Point{}, fmt.Errorf("point %q: the fault %w", text, err)
	}
	parsed, err := proxy.ParsePlace(place)
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	if parsed.Step == "" || parsed.Ordinal == 0 {
		return Point{}, fmt.Errorf("point %q: must name a step and a number, as in `roll: POST pods #3, after`", text)
	}
	return Point{parsed, Fault(fault)}, nil
}

// points are the faults at every place where they make sense: a DNS server answers with no HTTP status.
func points(places []proxy.Place, faults []Fault, dns proxy.Kind) []Point {
	var all []Point
	for _, place := range places {
		for _, fault := range faults {
			if place.Kind != dns || fault.status() == 0 {
				all = append(all, Point{place, fault})
			}
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
