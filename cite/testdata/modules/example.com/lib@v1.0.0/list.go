package lib

// Drop was removed in v1.1.0.
func Drop() {}

// Len counts.
func (l *List[E]) Len() int { return l.n }
