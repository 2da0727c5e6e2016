package drawingcorrected

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/twinloop/labs/drawing"
	"example.com/twinloop/labs/drawing/witness"
	"example.com/twinloop/labs/lab"
)

// calls are those whose order is asked for, as a stack has them.
var calls = []string{
	"threadSafeMap.Update", "processDeltas", "sharedIndexInformer.handleDeltas", "RealFIFO.PopBatch", "controller.processLoop",
}

// order has them without their receivers.
var order = lab.Ordering{"Update", "processDeltas", "handleDeltas", "PopBatch", "processLoop"}

func run(ctx context.Context, bench *lab.Bench) error {
	bench.Say("A controller on client-go's own informer, workqueue and lister. Where client-go calls something that can be plugged " +
		"in, the lab looks at the stack.")
	seen, err := witness.Watch(ctx)
	if err != nil {
		return err
	}
	files := seen.Files()
	showStages(bench, seen)
	bench.Say("\nThe stack on which the index function was called, the outermost call last:")
	showStack(bench, seen.Sightings[drawing.Indexer].Stack)
	bench.Say("\nThe stack on which the handler was called, which is another goroutine's:")
	showStack(bench, seen.Sightings[drawing.Handlers].Stack)

	yours := 0
	for _, stage := range drawing.Whole.Stages() {
		switch {
		case files[stage] == nil:
		case files[stage][0] == drawing.Yours:
			yours++
		default:
			bench.Measure(strings.ToLower(string(stage))+"-file", answer(stage, files[stage][0]))
		}
	}
	bench.Measure("calls", outermostFirst(seen.Sightings[drawing.Indexer].Stack))
	bench.Measure("goroutines", seen.Goroutines())
	bench.Measure("yours", yours)
	return nil
}

// answer is the name of a file. That of listers, of which there are several, comes with its folder.
func answer(stage drawing.Stage, file string) string {
	if stage == drawing.Lister {
		return strings.TrimPrefix(file, "k8s.io/client-go/")
	}
	return path.Base(file)
}

// outermostFirst are the calls of a stack whose order is asked for.
func outermostFirst(stack witness.Stack) []string {
	var outermost []string
	for _, frame := range slices.Backward(stack) {
		if slices.Contains(calls, frame.String()) {
			outermost = append(outermost, frame.Function)
		}
	}
	return outermost
}

// showStages shows every stage with its innermost call.
func showStages(bench *lab.Bench, seen witness.Testimony) {
	table := tabwriter.NewWriter(bench, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "\n  stage\tcall\tfile\tgoroutine")
	for _, stage := range drawing.Whole.Stages() {
		if stage == drawing.APIServer {
			continue
		}
		call := seen.Calls(stage)[0]
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", stage, call, call.Path(), seen.Goroutine(stage))
	}
	_ = table.Flush() // to a terminal or a buffer
}

func showStack(bench *lab.Bench, stack witness.Stack) {
	table := tabwriter.NewWriter(bench, 0, 8, 3, ' ', 0)
	for _, frame := range stack {
		fmt.Fprintf(table, "  %s\t%s/%s:%d\n", frame, frame.Package, frame.File, frame.Line)
	}
	_ = table.Flush() // to a terminal or a buffer
}
