package drawing

import "slices"

// Stage is a stage of the pipeline, by the name that it has here.
type Stage string

// The stages, in the order in which an object passes them.
const (
	APIServer Stage = "API server"
	Reflector Stage = "reflector"
	FIFO      Stage = "FIFO"
	Informer  Stage = "informer"
	Indexer   Stage = "indexer"
	Listeners Stage = "listeners"
	Handlers  Stage = "handlers"
	Workqueue Stage = "workqueue"
	Worker    Stage = "worker"
	Lister    Stage = "lister"
	Reconcile Stage = "reconcile"
)

// Flow is an arrow of the pipeline. Nobody misses one that is Optional.
type Flow struct {
	From, To Stage
	Optional bool
}

// Pipeline is the arrows that there are.
type Pipeline []Flow

// Whole is the pipeline from the API server through a controller and back.
var Whole = Pipeline{
	{From: APIServer, To: Reflector},
	{From: Reflector, To: FIFO},
	{From: FIFO, To: Informer},
	{From: Informer, To: Indexer},
	{From: Informer, To: Listeners},
	{From: Listeners, To: Handlers},
	{From: Handlers, To: Workqueue},
	{From: Workqueue, To: Worker},
	{From: Worker, To: Reconcile},
	{From: Worker, To: Workqueue, Optional: true}, // a key whose reconcile failed
	{From: Indexer, To: Lister},
	{From: Lister, To: Reconcile},
	{From: Reconcile, To: APIServer},
}

// Without is the pipeline in which a stage is not told apart: what comes into it goes on at once.
func (p Pipeline) Without(stage Stage) Pipeline {
	var joined Pipeline
	for _, in := range p {
		switch {
		case in.From == stage:
		case in.To != stage:
			joined = append(joined, in)
		default:
			for _, out := range p {
				if out.From == stage {
					joined = append(joined, Flow{From: in.From, To: out.To})
				}
			}
		}
	}
	return joined
}

// Stages are all of the pipeline, in the order in which its arrows come to them.
func (p Pipeline) Stages() []Stage {
	var stages []Stage
	for _, flow := range p {
		for _, stage := range []Stage{flow.From, flow.To} {
			if !slices.Contains(stages, stage) {
				stages = append(stages, stage)
			}
		}
	}
	return stages
}

// Required are the arrows that may not be missing.
func (p Pipeline) Required() Pipeline {
	return slices.DeleteFunc(slices.Clone(p), func(f Flow) bool { return f.Optional })
}

// flow is the arrow from one stage to another, if there is one.
func (p Pipeline) flow(from, to Stage) bool {
	return slices.ContainsFunc(p, func(f Flow) bool { return f.From == from && f.To == to })
}
