package drawthepipeline

import (
	"context"
	"slices"
	"strings"

	"example.com/twinloop/labs/drawing"
	"example.com/twinloop/labs/drawing/witness"
	"example.com/twinloop/labs/lab"
)

// order has the stages whose order is asked for.
var order = lab.Ordering{
	string(drawing.Reconcile), string(drawing.Handlers), string(drawing.FIFO), string(drawing.Workqueue), string(drawing.Indexer),
}

func run(ctx context.Context, bench *lab.Bench) error {
	bench.Say("A controller of ConfigMaps on client-go's own informer, workqueue and lister. In place of the API server there is " +
		"a watch that the lab feeds.")
	seen, err := witness.Watch(ctx)
	if err != nil {
		return err
	}
	bench.Say("\nThe reflector asks for: %s.", strings.Join(seen.Requests, ", "))
	bench.Say("One ConfigMap is created. It was seen, for the first time, by:")
	var inOrder []string
	for _, stage := range seen.Order {
		bench.Say("  %-10s on goroutine %s", stage, seen.Sightings[stage].Goroutine)
		if slices.Contains(order, string(stage)) {
			inOrder = append(inOrder, string(stage))
		}
	}
	bench.Say("The FIFO is a %s. The reconcile wrote a label; the write came back as an event.", seen.Queue())
	bench.Measure("first-request", seen.Requests[0])
	bench.Measure("requests", len(seen.Requests))
	bench.Measure("fifo", seen.Queue())
	bench.Measure("order", inOrder)
	bench.Measure("known-when-added", seen.KnownWhenAdded)
	bench.Measure("known-when-deleted", seen.KnownWhenDeleted)
	bench.Measure("stored-while-handler-waits", seen.StoredMeanwhile)
	bench.Measure("writes", seen.Writes)
	bench.Measure("events", seen.Events)
	bench.Measure("reconciles", seen.Reconciles)
	return nil
}
