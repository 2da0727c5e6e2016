package onepop

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"example.com/twinloop/labs/lab"
)

// both gives the same events to a DeltaFIFO and to a RealFIFO, and is what their consumers pop.
func both(events ...event) (delta, real []cache.Deltas, err error) {
	deltaFIFO, realFIFO := newDeltaFIFO(newStore()), newRealFIFO(newStore())
	if err := feed(deltaFIFO, events...); err != nil {
		return nil, nil, err
	}
	if err := feed(realFIFO, events...); err != nil {
		return nil, nil, err
	}
	if delta, err = popAll(deltaFIFO); err != nil {
		return nil, nil, err
	}
	real, err = popAll(realFIFO)
	return delta, real, err
}

func oneKey(bench *lab.Bench) error {
	delta, real, err := both(event{cache.Added, "a"}, event{cache.Updated, "a"}, event{cache.Deleted, "a"})
	if err != nil {
		return err
	}
	bench.Say("One object is added, updated and deleted before anyone calls Pop:")
	beside(bench, column{"DeltaFIFO", delta}, column{"RealFIFO", real})
	bench.Measure("delta-pops", len(delta))
	bench.Measure("delta-deltas", len(flatten(delta)))
	bench.Measure("real-pops", len(real))
	bench.Measure("real-deltas", len(flatten(real)))
	return nil
}

func deletedTwice(bench *lab.Bench) error {
	delta, real, err := both(event{cache.Added, "a"}, event{cache.Deleted, "a"}, event{cache.Deleted, "a"})
	if err != nil {
		return err
	}
	bench.Say("\nOne object is added and deleted twice:")
	beside(bench, column{"DeltaFIFO", delta}, column{"RealFIFO", real})
	bench.Measure("delta-deltas-deleted-twice", len(flatten(delta)))
	bench.Measure("real-deltas-deleted-twice", len(flatten(real)))
	return nil
}

func stream(bench *lab.Bench) error {
	events := []event{
		{cache.Added, "a"}, {cache.Added, "b"}, {cache.Updated, "a"}, {cache.Deleted, "a"},
		{cache.Updated, "b"}, {cache.Updated, "b"}, {cache.Added, "c"},
	}
	delta, real, err := both(events...)
	if err != nil {
		return err
	}
	informers := newInformersFIFO()
	if err := feed(informers, events...); err != nil {
		return err
	}
	batches, err := popBatches(informers)
	if err != nil {
		return err
	}
	bench.Say("\nSeven events of three objects:")
	beside(bench, column{"DeltaFIFO, Pop", delta}, column{"RealFIFO, Pop", real}, column{"RealFIFO, PopBatch", batches})
	bench.Measure("delta-stream-pops", len(delta))
	bench.Measure("real-stream-pops", len(real))
	bench.Measure("real-batches", len(batches))
	bench.Measure("delta-order", reached(delta))
	bench.Measure("real-order", reached(real))
	inOrder := features.FeatureGates().Enabled(features.InOrderInformers)
	bench.Measure("informers-in-order", inOrder)
	return nil
}

func relist(bench *lab.Bench) error {
	deltaFIFO, realFIFO, informers := newDeltaFIFO(newStore("a", "b")), newRealFIFO(newStore("a", "b")), newInformersFIFO()
	columns := []column{{name: "DeltaFIFO"}, {name: "RealFIFO"}, {name: "RealFIFO as in informers"}}
	for i, queue := range []cache.Queue{deltaFIFO, realFIFO, informers} {
		if err := queue.Replace([]any{object("a")}, "2"); err != nil {
			return err
		}
		var err error
		if columns[i].pops, err = popAll(queue); err != nil {
			return err
		}
	}
	bench.Say("\nThe store knows a and b, and a relist finds a alone:")
	beside(bench, columns...)
	bench.Measure("delta-relist-tombstones", tombstones(columns[0].pops))
	bench.Measure("real-relist-tombstones", tombstones(columns[1].pops))
	bench.Measure("informer-relist-pops", len(columns[2].pops))
	bench.Measure("informer-relist-tombstones", tombstones(columns[2].pops))
	return nil
}

// reached are the milestones in the order in which they were popped.
func reached(pops []cache.Deltas) []string {
	var order []string
	for _, delta := range flatten(pops) {
		if what := describe(delta); slices.Contains(milestones, what) {
			order = append(order, what)
		}
	}
	return order
}

func tombstones(pops []cache.Deltas) int {
	n := 0
	for _, delta := range flatten(pops) {
		if _, ok := delta.Object.(cache.DeletedFinalStateUnknown); ok {
			n++
		}
	}
	return n
}

// column is what the consumer of a queue got.
type column struct {
	name string
	pops []cache.Deltas
}

// beside shows columns beside each other, in a line for each call.
func beside(bench *lab.Bench, columns ...column) {
	table := tabwriter.NewWriter(bench, 0, 8, 3, ' ', 0)
	head, calls := []string{"  call"}, 0
	var cells [][]string
	for _, c := range columns {
		head = append(head, c.name)
		cells = append(cells, describeAll(c.pops))
		calls = max(calls, len(c.pops))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for call := range calls {
		line := []string{fmt.Sprintf("  %d", call+1)}
		for _, column := range cells {
			if call < len(column) {
				line = append(line, column[call])
			} else {
				line = append(line, "")
			}
		}
		fmt.Fprintln(table, strings.Join(line, "\t"))
	}
	_ = table.Flush() // to a terminal or a buffer
}
