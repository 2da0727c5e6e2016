package process

import (
	"os/exec"
	"syscall"
)

// startTied starts cmd to be killed when the calling thread ends, prctl(2) PR_SET_PDEATHSIG. The kernel needs
// no help to do that, so there is nothing to release.
func startTied(cmd *exec.Cmd) (release func(), err error) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return func() {}, cmd.Start()
}
