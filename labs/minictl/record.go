package minictl

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// A Record is a line of the log.
type Record struct {
	Tick    int    `json:"tick"`
	Source  string `json:"source"`
	Object  string `json:"object"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Log is what happened, in order.
type Log struct {
	clock   *Clock
	records []Record
}

// Record appends a line.
func (l *Log) Record(source, object, reason, message string) {
	l.records = append(l.records, Record{l.clock.Tick(), source, object, reason, message})
}

// Recordf is Record with a message that is formatted.
func (l *Log) Recordf(source, object, reason, format string, args ...any) {
	l.Record(source, object, reason, fmt.Sprintf(format, args...))
}

// Records are the lines so far.
func (l *Log) Records() []Record { return l.records }

// printRecords aligns everything but the message.
func printRecords(out io.Writer, records []Record) error {
	table := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	for _, r := range records {
		fmt.Fprintf(table, "t=%03d\t%s\t%s\t%s\t%s\n", r.Tick, r.Source, r.Object, r.Reason, r.Message)
	}
	return table.Flush()
}
