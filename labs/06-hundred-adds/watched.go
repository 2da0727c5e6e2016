package hundredadds

import (
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
)

// watchedQueue is a workqueue whose sets can be seen from outside, through what can be plugged into it: every key that becomes
// dirty makes the depth grow by one and every Get makes it shrink; every Get observes a latency, every Done a duration of work.
type watchedQueue struct {
	*workqueue.Typed[string]
	clock   *testingclock.FakeClock
	storage *countedTouches
	metrics *metrics
}

func newWatchedQueue() watchedQueue {
	q := watchedQueue{
		clock:   testingclock.NewFakeClock(time.Unix(0, 0)),
		storage: &countedTouches{Queue: workqueue.DefaultQueue[string]()},
		metrics: &metrics{longestRunning: make(lastReading, 1)},
	}
	q.Typed = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{
		Name:            "watched", // without a name there are no metrics
		MetricsProvider: q.metrics,
		Clock:           q.clock,
		Queue:           q.storage,
	})
	return q
}

func (q watchedQueue) dirty() int { return q.metrics.depth.value() }

func (q watchedQueue) processing() int { return q.metrics.gets.value() - q.metrics.dones.value() }

// countedTouches is the default storage. It counts the Adds that found their key waiting.
type countedTouches struct {
	workqueue.Queue[string]
	touches int
}

func (c *countedTouches) Touch(key string) {
	c.touches++
	c.Queue.Touch(key)
}

// metrics is the provider of one queue's metrics.
type metrics struct {
	adds, depth, gets, dones, retries count
	unfinished                        ignored
	longestRunning                    lastReading
}

func (m *metrics) NewDepthMetric(string) workqueue.GaugeMetric            { return &m.depth }
func (m *metrics) NewAddsMetric(string) workqueue.CounterMetric           { return &m.adds }
func (m *metrics) NewLatencyMetric(string) workqueue.HistogramMetric      { return &m.gets }
func (m *metrics) NewWorkDurationMetric(string) workqueue.HistogramMetric { return &m.dones }
func (m *metrics) NewRetriesMetric(string) workqueue.CounterMetric        { return &m.retries }

func (m *metrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.unfinished
}

func (m *metrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return m.longestRunning
}

// count is a gauge, a counter, or the number of observations of a histogram.
type count struct{ n atomic.Int64 }

func (c *count) Inc()            { c.n.Add(1) }
func (c *count) Dec()            { c.n.Add(-1) }
func (c *count) Observe(float64) { c.n.Add(1) }
func (c *count) value() int      { return int(c.n.Load()) }

type ignored struct{}

func (ignored) Set(float64) {}

// lastReading is a gauge whose next reading can be awaited. It has room for one.
type lastReading chan float64

func (r lastReading) Set(value float64) {
	select {
	case <-r:
	default:
	}
	r <- value
}
