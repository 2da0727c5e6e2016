package drill

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckPoint reports a point of a step that the scenario does not have. Whether the operator makes the write, only the
// reference run shows.
func (d *Definition) CheckPoint(point Point) error {
	var steps []string
	for _, step := range d.Scenario {
		steps = append(steps, step.Name)
	}
	if !slices.Contains(steps, point.Step) {
		return fmt.Errorf("point %q: there is no step %q, only %s", point, point.Step, strings.Join(steps, ", "))
	}
	return nil
}

// choose returns those of the points of the reference run that the options ask for.
func (o Options) choose(all []Point) ([]Point, error) {
	if len(all) == 0 {
		return nil, errors.New("nothing to inject: the operator writes nothing in the whole scenario")
	}
	for _, point := range o.Points {
		if !slices.Contains(all, point) {
			return nil, fmt.Errorf("point %q: the reference run, without any fault, did not come by it, only by %s",
				point, placesIn(point.Step, all))
		}
	}
	switch {
	case len(o.Points) > 0:
		return o.Points, nil
	case o.Shards == 0:
		return all, nil
	}
	chosen := shard(all, o.Shard, o.Shards)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("part %d of %d is empty: there are only %d points", o.Shard, o.Shards, len(all))
	}
	return chosen, nil
}

// placesIn lists what there is to choose from in a step.
func placesIn(step string, all []Point) string {
	var places []string
	for _, point := range all {
		if point.Step == step && point.Fault == all[0].Fault {
			places = append(places, point.Place.String())
		}
	}
	if len(places) == 0 {
		return "writes of other steps"
	}
	return strings.Join(places, "; ") + ", with each of the drill's faults"
}
