package process

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// A watchdog is a shell that holds the reading end of a pipe of which this program holds the only writing end.
// However this program ends, the kernel closes its end; the shell reads end of file and kills the process
// group it was told to guard. It leads its own group, so that no signal meant for another reaches it.
type watchdog struct {
	shell *exec.Cmd
	pipe  io.WriteCloser
}

const watchdogScript = `read -r group || exit; read -r eof; kill -s KILL -- "-$group"`

func startWatchdog() (*watchdog, error) {
	shell := exec.Command("/bin/sh", "-c", watchdogScript)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	return &watchdog{shell: shell, pipe: pipe}, nil
}

// guard names the process group to kill.
func (w *watchdog) guard(group int) { fmt.Fprintln(w.pipe, group) }

// release ends the watchdog without a kill.
func (w *watchdog) release() {
	_ = w.shell.Process.Kill()
	_ = w.pipe.Close()
	_ = w.shell.Wait()
}
