package cluster

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Stage is what the hand-wired operator says at -v=4 of a stage of its work.
type Stage string

// The stages. Each line but that of an event names the Fleet.
const (
	Enqueued    Stage = "enqueued"            // a handler adds the key of a Fleet to the queue
	Handled     Stage = "handled"             // it has done what there is to do about an event of an object
	Reconciling Stage = "reconciling"         // a worker has got the key
	Read        Stage = "read from the cache" // it has read the Fleet
	Reconciled  Stage = "reconciled"          // it is about to be done with the key
)

var stages = []Stage{Enqueued, Handled, Reconciling, Read, Reconciled}

// Line is what the operator says of one stage.
type Line struct {
	Stage Stage
	Time  time.Time // in whole microseconds
	// Fleet is a name; ResourceVersion is that of the object of an event, or of the Fleet that was read.
	Fleet, ResourceVersion string
	// Text is what the line says, without its header.
	Text string
}

// A Log takes what the hand-wired operator prints, and keeps its stages.
type Log struct {
	changed *bell

	mu       sync.Mutex
	unparsed string
	lines    []Line
}

func newLog() *Log { return &Log{changed: newBell()} }

func (l *Log) Write(text []byte) (int, error) {
	defer l.changed.ring()
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.SplitAfter(l.unparsed+string(text), "\n")
	for _, line := range lines[:len(lines)-1] {
		if parsed, ok := parseLine(line); ok {
			l.lines = append(l.lines, parsed)
		}
	}
	l.unparsed = lines[len(lines)-1]
	return len(text), nil
}

// Lines are the stages so far.
func (l *Log) Lines() []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Await waits until the stages so far are as they should be.
func (l *Log) Await(ctx context.Context, what string, holds func([]Line) bool) error {
	return await(ctx, what, func() (bool, error) { return holds(l.Lines()), nil }, l.changed.rung, never)
}

// klogLine is a line as klog writes it: I1130 17:10:04.123456 4321 controller.go:136] "reconciling" fleet="lab/web".
var (
	klogLine  = regexp.MustCompile(`^I(\d{4} \d\d:\d\d:\d\d\.\d{6}) +\d+ [^\]]+\] ("([^"]*)".*)\n$`)
	klogValue = regexp.MustCompile(` (\w+)="([^"]*)"`)
)

func parseLine(text string) (Line, bool) {
	parts := klogLine.FindStringSubmatch(text)
	if parts == nil || !slices.Contains(stages, Stage(parts[3])) {
		return Line{}, false
	}
	at, err := time.ParseInLocation("20060102 15:04:05.000000", time.Now().Format("2006")+parts[1], time.Local)
	if err != nil {
		return Line{}, false
	}
	line := Line{Stage: Stage(parts[3]), Time: at, Text: parts[2]}
	for _, value := range klogValue.FindAllStringSubmatch(parts[2], -1) {
		switch value[1] {
		case "fleet":
			line.Fleet = strings.TrimPrefix(value[2], Namespace+"/")
		case "resourceVersion":
			line.ResourceVersion = value[2]
		}
	}
	return line, true
}
