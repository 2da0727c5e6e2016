package suite

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// tail is how many lines of an operator's log a failed test shows.
const tail = 80

// A processLog is what an operator prints.
type processLog struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed *bell
}

func (l *processLog) Write(text []byte) (int, error) {
	defer l.changed.ring()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *processLog) tail() string {
	lines := strings.Split(strings.TrimSpace(l.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-tail):], "\n")
}

// accident matches what no operator may ever print: the race detector's report and the Go runtime's last words, also
// when apimachinery's HandleCrash has caught them.
var accident = regexp.MustCompile(`WARNING: DATA RACE|(?m)^panic: |^fatal error: |Observed a panic`)

func (l *processLog) check(t *testing.T) {
	text := l.String()
	if at := accident.FindStringIndex(text); at != nil {
		t.Errorf("the operator had an accident:\n%s", text[at[0]:min(len(text), at[0]+6000)])
	}
}
