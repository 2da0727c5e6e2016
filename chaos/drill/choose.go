package drill

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckPoint reports a point that the plan cannot have. Whether the operator makes a write, only the reference run shows.
func (d *Definition) CheckPoint(point Point) error {
	if point.Case != "" && len(d.Cases) > 0 || len(d.Scenario) == 0 {
		return d.checkRound(point)
	}
	names := d.stepNames()
	done := d.Faults
	if d.Silence.Duration > 0 {
		done = []Fault{Silence}
	}
	switch {
	case point.Case != "":
		return fmt.Errorf("point %q: this drill has no cases: name a step and what is done there: %s", point, list(done))
	case !slices.Contains(names, point.Step):
		return fmt.Errorf("point %q: there is no step %q, only %s", point, point.Step, strings.Join(names, ", "))
	case !slices.Contains(done, point.Fault):
		return fmt.Errorf("point %q: what this drill does is %s", point, list(done))
	}
	return nil
}

// checkRound reports a point that is no repetition of a case.
func (d *Definition) checkRound(point Point) error {
	var names []string
	for _, c := range d.Cases {
		names = append(names, c.Name)
	}
	i := slices.Index(names, point.Case)
	if i < 0 {
		return fmt.Errorf("point %q: there is no such case, only %s", point, strings.Join(names, ", "))
	}
	switch all := rounds(d.Cases[i : i+1]); {
	case slices.Contains(all, point):
		return nil
	case len(all) == 1:
		return fmt.Errorf("point %q: the case has 1 run: %q", point, all[0])
	default:
		return fmt.Errorf("point %q: the case has %d runs: %q to %q", point, len(all), all[0], all[len(all)-1])
	}
}

// choose returns those points that the options ask for: by default, or in parts, those at writes that every fault-free run
// made. By name it may be one at a write that only some made.
func (o Options) choose(steady, occasional []Point) ([]Point, error) {
	if len(steady) == 0 {
		return nil, errors.New("nothing to inject: the operator writes nothing in the whole scenario")
	}
	known := append(slices.Clip(steady), occasional...)
	for _, point := range o.Points {
		point.Again = Blow{} // only the first is known beforehand
		if !slices.Contains(known, point) {
			return nil, fmt.Errorf("point %q: the reference run, without any fault, did not come by it, only by %s",
				point, placesIn(point.Step, known))
		}
	}
	switch {
	case len(o.Points) > 0:
		return o.Points, nil
	case o.Shards == 0:
		return steady, nil
	}
	chosen := shard(steady, o.Shard, o.Shards)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("part %d of %d is empty: there are only %d points", o.Shard, o.Shards, len(steady))
	}
	return chosen, nil
}

// placesIn lists what there is to choose from in a step.
func placesIn(step string, all []Point) string {
	var places []string
	for _, point := range all {
		if place := point.Place.String(); point.Step == step && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return "writes of other steps"
	}
	return strings.Join(places, "; ") + ", with each of the drill's faults"
}
