package programs

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	rewriteEvery = 200 * time.Millisecond // on a terminal
	printEvery   = 15 * time.Second       // elsewhere, such as in a CI log
)

// A meter tells how far a long piece of work has come: on a terminal by rewriting one line, elsewhere by a
// line now and then.
type meter struct {
	out      io.Writer
	terminal bool

	mu      sync.Mutex
	stage   func(count int) string
	count   int
	started time.Time
	stop    chan struct{}
	stopped chan struct{}
}

func newMeter(out io.Writer) *meter {
	if out == nil {
		out = io.Discard
	}
	file, ok := out.(*os.File)
	return &meter{out: out, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

// say prints a line by itself.
func (m *meter) say(line string) { fmt.Fprintln(m.out, line) }

// begin starts a stage, which renders its count; the first also starts the clock.
func (m *meter) begin(stage func(count int) string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stage, m.count = stage, 0
	if m.stop == nil {
		m.started = time.Now()
		m.stop, m.stopped = make(chan struct{}), make(chan struct{})
		go m.tick()
	}
}

// countIf counts one if ok, and returns ok.
func (m *meter) countIf(ok bool) bool {
	if ok {
		m.mu.Lock()
		m.count++
		m.mu.Unlock()
	}
	return ok
}

// done ends the line.
func (m *meter) done() {
	close(m.stop)
	<-m.stopped
}

func (m *meter) tick() {
	defer close(m.stopped)
	interval := printEvery
	if m.terminal {
		interval = rewriteEvery
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			m.print(now)
		case <-m.stop:
			m.print(time.Now())
			if m.terminal {
				fmt.Fprintln(m.out)
			}
			return
		}
	}
}

func (m *meter) print(now time.Time) {
	m.mu.Lock()
	line := fmt.Sprintf("%s, %s (first time only, 6 to 15 minutes on 2 cores)",
		m.stage(m.count), now.Sub(m.started).Round(time.Second))
	m.mu.Unlock()
	if m.terminal {
		fmt.Fprintf(m.out, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(m.out, line)
	}
}

// ofWhich is a remark on a count, and nothing while there is nothing to count.
func ofWhich(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d %s)", n, what)
}
