//go:build unix && !linux

package process

import "os/exec"

// startTied starts cmd with a watchdog that kills it when this program ends. A parent killed in the instant
// between the two leaves the child running; nothing but a parent-death signal, which only Linux has, can
// close that gap.
func startTied(cmd *exec.Cmd) (release func(), err error) {
	dog, err := startWatchdog()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		dog.release()
		return nil, err
	}
	dog.guard(cmd.Process.Pid)
	return dog.release, nil
}
