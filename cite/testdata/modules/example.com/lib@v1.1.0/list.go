// Package lib is cited by tests.
package lib

import "sync"

// A List is a list.
type List[E any] struct {
	sync.Mutex
	n, most int
}

// Len counts.
func (l *List[E]) Len() int { return l.n }

// Len counts, too.
func Len(s Sized) int { return s.Len() }

type Sized interface{ Len() int }

const (
	None = 0
	Some = 1
)

var zero, one = None, Some

func init() {}

func init() {}
