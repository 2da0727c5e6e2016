package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/operator"
)

// drillOptions are the command's flags.
type drillOptions struct {
	operators  []string
	config     string
	inheritEnv []string
	lanes      int
	points     []string
	shard      string
	seed       uint64
	output     string
	html       string
}

// drillWork is what is to be done: each drill with each operator.
type drillWork struct {
	definitions []*drill.Definition
	subjects    []*drillSubject
	options     drill.Options
}

// parse checks everything that can be wrong with the command line before anything is started.
func (o drillOptions) parse(name string) (*drillWork, error) {
	work := &drillWork{options: drill.Options{Seed: o.seed}}
	var err error
	if work.definitions, err = o.definitions(name); err != nil {
		return nil, err
	}
	if work.subjects, err = o.subjects(work.definitions[0]); err != nil {
		return nil, err
	}
	for _, name := range o.inheritEnv {
		if err := operator.CheckInherit(name); err != nil {
			return nil, fmt.Errorf("--inherit-env: %w", err)
		}
	}
	for _, definition := range work.definitions {
		if err := definition.CheckKinds(work.crds()); err != nil {
			return nil, fmt.Errorf("%s: %w", definition.Source, err)
		}
	}
	if o.lanes < 0 {
		return nil, fmt.Errorf("--lanes: must be at least 1, not %d", o.lanes)
	}
	if o.lanes > 1 && slices.ContainsFunc(work.subjects, func(s *drillSubject) bool { return s.clusterWide }) {
		return nil, errors.New("--lanes: leave it out: the operator is clusterWide, and its runs are held one after the other")
	}
	if !slices.Contains(outputs, o.output) {
		return nil, fmt.Errorf("--output: must be one of %s, not %q", strings.Join(outputs, ", "), o.output)
	}
	if len(work.definitions) > 1 && len(o.points) > 0 {
		return nil, errors.New("--point: is a point of one drill: name that")
	}
	for _, text := range o.points {
		point, err := drill.ParsePoint(text)
		if err == nil {
			err = work.definitions[0].CheckPoint(point)
		}
		if err != nil {
			return nil, fmt.Errorf("--point: %w", err)
		}
		work.options.Points = append(work.options.Points, point)
	}
	switch {
	case o.shard != "" && len(o.points) > 0:
		return nil, errors.New("--shard, --point: give only one of them")
	case o.shard != "":
		work.options.Shard, work.options.Shards, err = parseShard(o.shard)
	}
	return work, err
}

// definitions are the drills that a name stands for.
func (o drillOptions) definitions(name string) ([]*drill.Definition, error) {
	names := []string{name}
	if name == allDrills {
		names = drill.Names()
	}
	var all []*drill.Definition
	for _, name := range names {
		definition, err := o.definition(name)
		if err != nil {
			return nil, err
		}
		all = append(all, definition)
	}
	return all, nil
}

func (o drillOptions) definition(name string) (*drill.Definition, error) {
	if o.config != "" {
		return drill.LoadFor(name, o.config)
	}
	return drill.Load(name)
}

func parseShard(text string) (i, n int, err error) {
	part, parts, _ := strings.Cut(text, "/")
	i, noPart := strconv.Atoi(part)
	n, noParts := strconv.Atoi(parts)
	if noPart != nil || noParts != nil || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--shard: must be i/n with i from 1 to n, such as 1/4, not %q", text)
	}
	return i, n, nil
}
