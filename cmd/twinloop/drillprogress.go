package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// drillProgress shows how far a drill has come: one line that is rewritten on a terminal, and a line every ten seconds
// elsewhere.
type drillProgress struct {
	out      io.Writer
	terminal bool
	began    time.Time
	shown    time.Time
}

func newDrillProgress(out io.Writer) *drillProgress {
	file, ok := out.(*os.File)
	return &drillProgress{out: out, terminal: ok && term.IsTerminal(int(file.Fd())), began: time.Now()}
}

func (p *drillProgress) show(done, total, failed int) {
	every := 10 * time.Second
	if p.terminal {
		every = 100 * time.Millisecond
	}
	if done < total && time.Since(p.shown) < every {
		return
	}
	p.shown = time.Now()
	took := time.Since(p.began)
	line := fmt.Sprintf("%d of %d points, %d failed, %.0f a minute, %s",
		done, total, failed, float64(done)/took.Minutes(), took.Round(time.Second))
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.out, line)
}

// end leaves the last line standing.
func (p *drillProgress) end() {
	if p.terminal && !p.shown.IsZero() {
		fmt.Fprintln(p.out)
	}
}
