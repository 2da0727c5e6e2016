package drill

import "sync"

// kept is how much of what an operator prints is kept, in bytes: the end of it, and up to twice as much.
const kept = 8 << 20

// output keeps what an operator prints, but for the beginning of a flood.
type output struct {
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.text)+len(p) > 2*kept {
		o.text = append([]byte(nil), o.text[max(0, len(o.text)-kept):]...)
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}
