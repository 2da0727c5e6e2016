package slowstart

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestCreate(t *testing.T) {
	refused := errors.New("refused")
	for _, test := range []struct {
		name            string
		n               int
		allowed         int64 // how many are not refused
		asked, succeeds int
		err             error
	}{
		{"none", 0, 100, 0, 0, nil},
		{"all", 10, 100, 10, 10, nil},
		{"the first is refused", 1000, 0, 1, 0, refused},
		{"one of the second batch is refused", 1000, 2, 3, 2, refused},
		{"the last batch is refused in part", 10, 9, 10, 9, refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked atomic.Int64
			succeeds, err := Create(test.n, func() error {
				if asked.Add(1) > test.allowed {
					return refused
				}
				return nil
			})
			if int(asked.Load()) != test.asked || succeeds != test.succeeds || !errors.Is(err, test.err) {
				t.Errorf("asked %d times, %d succeeded, %v; want %d, %d, %v",
					asked.Load(), succeeds, err, test.asked, test.succeeds, test.err)
			}
		})
	}
}

// Each batch is over before the next begins, and twice as large.
func TestBatches(t *testing.T) {
	var begun, ended atomic.Int64
	var befores [15]int64 // by the order of beginning, how many had ended
	if _, err := Create(15, func() error {
		before := ended.Load()
		befores[begun.Add(1)-1] = before
		ended.Add(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, least := range []int64{0, 1, 1, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7} {
		if befores[i] < least {
			t.Errorf("call %d began when %d had ended, not %d", i+1, befores[i], least)
		}
	}
}

func TestTogether(t *testing.T) {
	odd := errors.New("odd")
	var done [7]atomic.Bool
	succeeds, err := Together(len(done), func(i int) error {
		done[i].Store(true)
		if i%2 == 1 {
			return odd
		}
		return nil
	})
	if succeeds != 4 || !errors.Is(err, odd) {
		t.Errorf("%d succeeded, %v; want 4, %v", succeeds, err, odd)
	}
	for i := range done {
		if !done[i].Load() {
			t.Errorf("call %d was left out", i)
		}
	}
}
