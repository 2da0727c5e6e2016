package drill

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"example.com/twinloop/shared/process"
)

// ProcessRecord is the life of one process of the operator.
type ProcessRecord struct {
	// Replica is the number, from 1, of the replica that it was.
	Replica int
	// Started is when it was, Ended when it had ended by whatever cause: zero of one that outlived the run.
	Started, Ended time.Time
	// Killed is whether it ended by SIGKILL.
	Killed bool
	// Signals are those that it was sent and had something to do about.
	Signals []SignalRecord
}

// SignalRecord is a signal, and when it was sent.
type SignalRecord struct {
	Signal Signal
	At     time.Time
}

// life keeps the record of a process while it goes on.
type life struct {
	process *process.Process
	record  ProcessRecord
	ended   chan struct{} // closed when the record has the end
}

// newLife follows a process that has just been started until it ends.
func newLife(replica int, p *process.Process) *life {
	l := &life{process: p, record: ProcessRecord{Replica: replica, Started: time.Now()}, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		<-p.Exited()
		l.record.Ended, l.record.Killed = time.Now(), killed(p.Err())
	}()
	return l
}

// sofar is the record, with the end if there has been one. Signals are sent by whoever asks, and by nobody else.
func (l *life) sofar() ProcessRecord {
	select {
	case <-l.process.Exited():
		<-l.ended
		return l.record
	default:
		return ProcessRecord{Replica: l.record.Replica, Started: l.record.Started, Signals: l.record.Signals}
	}
}

// killed reports whether a process that ended so was killed.
func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
