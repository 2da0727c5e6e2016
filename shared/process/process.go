// Package process runs child programs that cannot outlive the program that started them.
//
// However the parent ends, by return, panic or SIGKILL, its children end with it. Linux delivers them a
// parent-death signal (PR_SET_PDEATHSIG); other systems have a watchdog kill them (see watchdog.go). Each
// child leads a process group of its own, so that a terminal's Ctrl-C reaches only the parent, which then
// stops its children in the order it chooses, and so that a kill takes a child's own children along.
package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// pipeGrace is how long the output of a process that has ended may still be held open by its descendants.
const pipeGrace = time.Second

// A Process is a started child program.
type Process struct {
	cmd      *exec.Cmd
	cleanups []func()
	exited   chan struct{}
	err      error // set before exited is closed
}

// Start starts cmd, which must not have been started, and takes charge of it: the caller must not Wait for it.
// It sets what cmd.SysProcAttr needs for a process group and for the end of the parent. The cleanups run when the process has
// been reaped, and before anybody is told.
//
// Linux sends the parent-death signal when the thread that forked ends, not its process
// (https://go.dev/issue/27505), so one thread is kept for the child's whole life: it starts the child and
// waits for it.
func Start(cmd *exec.Cmd, cleanups ...func()) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = pipeGrace
	}
	p := &Process{cmd: cmd, cleanups: cleanups, exited: make(chan struct{})}
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	release, err := startTied(p.cmd)
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	_ = syscall.Kill(-p.Pid(), syscall.SIGKILL) // what it left behind in its group
	release()
	for _, cleanup := range p.cleanups {
		cleanup()
	}
	close(p.exited)
}

// Pid is the process's id, and its process group's.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited is closed once the process has ended, has been reaped and its output has been read.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err says how the process ended, as exec.Cmd.Wait does: nil for exit status 0. It is meaningful only after
// Exited is closed.
func (p *Process) Err() error { return p.err }

// Signal sends sig to the process and its descendants in its group. To a process that has ended it does nothing.
func (p *Process) Signal(sig syscall.Signal) {
	select {
	case <-p.exited:
	default:
		_ = syscall.Kill(-p.Pid(), sig) // the only error left is that the group has just ended
	}
}

// Stop asks the process to end (SIGTERM), kills it if it has not ended within grace, and returns when it has.
func (p *Process) Stop(grace time.Duration) {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(grace):
		p.Kill()
	}
}

// Kill ends the process and its group with SIGKILL and returns when it has been reaped: no instruction of it
// runs after Kill returns.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.exited
}
