package hundredadds

import (
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"example.com/twinloop/labs/lab"
)

// newPriorityQueue has no name, and therefore no metrics.
func newPriorityQueue() priorityqueue.PriorityQueue[string] { return priorityqueue.New[string]("") }

func priorityAddBeforeGet(bench *lab.Bench) {
	q := newPriorityQueue()
	defer q.ShutDown()
	addAgain(q)
	reconciles := priorityWork(q)
	bench.Say("  %d Adds before any Get: %d reconcile", adds, reconciles)
	bench.Measure("priority-reconciles", reconciles)
}

func priorityAddWhileHeld(bench *lab.Bench) {
	q := newPriorityQueue()
	defer q.ShutDown()
	q.Add(key)
	q.Get()
	addAgain(q)
	q.Done(key)
	reconciles := priorityWork(q)
	bench.Say("  %d Adds while a worker holds the key, then Done: %d more", adds, reconciles)
	bench.Measure("priority-reconciles-while-held", reconciles)
}

// priorityAddWithoutDone adds another key last: it comes out although web was there before it.
func priorityAddWithoutDone(bench *lab.Bench) {
	q := newPriorityQueue()
	defer q.ShutDown()
	q.Add(key)
	q.Get()
	addAgain(q)
	waiting := q.Len()
	q.Add(other)
	next, _ := q.Get()
	bench.Say("  %d Adds after a worker forgot Done: Len() is %d, but Get hands out %s, which was added later", adds, waiting, next)
	bench.Measure("priority-len-without-done", waiting)
	bench.Measure("priority-next-without-done", next)
}

func raisePriority(bench *lab.Bench) {
	q := newPriorityQueue()
	defer q.ShutDown()
	q.Add("first")
	q.Add("second")
	q.Add("third")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(10)}, "third")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(5)}, "third")
	var order []string
	for q.Len() > 0 {
		name, priority, _ := q.GetWithPriority()
		bench.Say("  handed out: %s, with priority %d", name, priority)
		if name == "third" {
			bench.Measure("priority-of-third", priority)
		}
		order = append(order, name)
	}
	bench.Measure("priority-order", order)
}

func addAgain(q priorityqueue.PriorityQueue[string]) {
	for range adds {
		q.Add(key)
	}
}

func priorityWork(q priorityqueue.PriorityQueue[string]) int {
	reconciles := 0
	for q.Len() > 0 {
		got, _ := q.Get()
		reconciles++
		q.Done(got)
	}
	return reconciles
}
