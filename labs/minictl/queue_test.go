package minictl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestManyEventsAreOneEntry(t *testing.T) {
	q := NewQueue()
	for range 10 {
		q.Add(key("a"), 0)
	}
	q.Get(0)
	q.Done(key("a"))
	if again, ok := q.Get(0); ok {
		t.Errorf("%s was handed out twice", again)
	}
}

func TestFreshNewsBeatsABackoff(t *testing.T) {
	q := NewQueue()
	for range 5 {
		q.AddRateLimited(key("a"), 0)
		q.due = map[Key]int{}
	}
	q.AddRateLimited(key("a"), 0)
	if _, ok := q.Get(5); ok {
		t.Fatal("handed out before the backoff had passed")
	}
	q.Add(key("a"), 5)
	q.Add(key("a"), 9)
	if _, ok := q.Get(5); !ok {
		t.Error("the earlier time did not win")
	}
}

func TestBackoffDoublesUntilASuccess(t *testing.T) {
	q := NewQueue()
	var delays []int
	for range 8 {
		delays = append(delays, q.AddRateLimited(key("a"), 0))
	}
	q.Forget(key("a"))
	delays = append(delays, q.AddRateLimited(key("a"), 0))
	if diff := cmp.Diff([]int{1, 2, 4, 8, 16, 32, 32, 32, 1}, delays); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
}

func TestOneWorkerAKey(t *testing.T) {
	q := NewQueue()
	q.Add(key("a"), 0)
	q.Get(0)
	q.Add(key("a"), 0)
	if _, ok := q.Get(0); ok {
		t.Fatal("a key in processing was handed out")
	}
	q.Done(key("a"))
	if _, ok := q.Get(0); !ok {
		t.Error("what was added during the processing is lost")
	}
}

func TestTheKeyDueLongestComesFirst(t *testing.T) {
	q := NewQueue()
	q.Add(key("a"), 3)
	q.Add(key("b"), 1)
	q.Add(key("c"), 3)
	q.Add(key("d"), 4)
	if diff := cmp.Diff([]Key{key("b"), key("a"), key("c")}, q.Ready(3)); diff != "" {
		t.Errorf("ready (-want +got):\n%s", diff)
	}
}
