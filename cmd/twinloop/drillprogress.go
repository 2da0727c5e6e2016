package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"example.com/twinloop/chaos/drill"
)

// drillProgress shows how far a drill has come, where it is, and what was found so far: on a terminal in lines that are
// rewritten, elsewhere in a line every ten seconds. A point that fails is told at once.
type drillProgress struct {
	out      io.Writer
	terminal *os.File // nil elsewhere
	began    time.Time
	shown    time.Time
	lines    int // how many are there to be rewritten
	running  []string
}

func newDrillProgress(out io.Writer) *drillProgress {
	p := &drillProgress{out: out, began: time.Now()}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.terminal = file
	}
	return p
}

func (p *drillProgress) show(now drill.Progress) {
	point := now.Point.String()
	if now.Result == nil {
		p.running = append(p.running, point)
	} else {
		p.running = slices.DeleteFunc(p.running, func(running string) bool { return running == point })
	}
	if now.Result != nil && now.Result.Verdict != drill.Passed {
		p.erase()
		fmt.Fprintln(p.out, failure(now.Result))
	}
	every := 10 * time.Second
	if p.terminal != nil {
		every = 100 * time.Millisecond
	}
	ended := now.Result != nil && now.Done == now.Total
	if !ended && (time.Since(p.shown) < every || p.terminal == nil && now.Result == nil) {
		return
	}
	p.shown = time.Now()
	took := time.Since(p.began)
	lines := []string{fmt.Sprintf("%d of %d points, %d failed, %.0f a minute, %s",
		now.Done, now.Total, now.Failed, float64(now.Done)/took.Minutes(), took.Round(time.Second))}
	if p.terminal == nil {
		fmt.Fprintln(p.out, lines[0])
		return
	}
	p.erase()
	for _, running := range p.running {
		lines = append(lines, "  "+running)
	}
	p.draw(lines)
}

// failure is what went wrong at a point, in a line.
func failure(result *drill.PointResult) string {
	for _, finding := range result.Findings {
		if !finding.Expected {
			return fmt.Sprintf("%s: %s: %s", result.Point, finding.Oracle, finding.Brief())
		}
	}
	return fmt.Sprintf("%s: %s", result.Point, result.Verdict)
}

// draw writes lines, none longer than the terminal is wide, so that they can be erased.
func (p *drillProgress) draw(lines []string) {
	width, height, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width < 1 {
		width, height = 80, 24
	}
	lines = lines[:min(len(lines), max(1, height-1))]
	for _, line := range lines {
		fmt.Fprintln(p.out, line[:min(len(line), width-1)])
	}
	p.lines = len(lines)
}

// erase takes back what was drawn.
func (p *drillProgress) erase() {
	if p.lines > 0 {
		fmt.Fprintf(p.out, "\x1b[%dA\x1b[J", p.lines)
		p.lines = 0
	}
}

// end leaves how far it came.
func (p *drillProgress) end() {
	if p.terminal != nil && p.lines > 1 {
		fmt.Fprintf(p.out, "\x1b[%dA\x1b[J", p.lines-1)
	}
}
