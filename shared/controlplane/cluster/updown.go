package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	// stopPatience is how long a supervisor may take to stop before it is killed.
	stopPatience = 15 * time.Second
	lockInterval = 20 * time.Millisecond
)

// Up starts a cluster with the supervisor that a command starts, and returns when it is ready; if ctx ends first,
// nothing is left of it. If the cluster is already up, started is false.
func Up(ctx context.Context, name string, supervisor *exec.Cmd) (info Info, started bool, err error) {
	p, err := locate(name)
	if err != nil {
		return Info{}, false, err
	}
	if p.exists() {
		if info, err := p.read(); err != nil || info.Phase == Running {
			return info, false, err
		}
	}
	if err := launch(ctx, supervisor); err != nil {
		return Info{}, false, fmt.Errorf("cannot start cluster %q: %w", name, err)
	}
	info, err = p.read()
	return info, true, err
}

// launch starts a supervisor and waits for its answer. It lets go of the supervisor by a line on its stdin; whatever
// else becomes of this process ends it.
func launch(ctx context.Context, supervisor *exec.Cmd) error {
	supervisor.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	supervisor.Stderr = os.Stderr
	stdin, err := supervisor.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := supervisor.StdoutPipe()
	if err != nil {
		return err
	}
	if err := supervisor.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = stdin.Close() })
	answer, err := bufio.NewReader(stdout).ReadString('\n')
	switch {
	case !stop():
		end(supervisor)
		return context.Cause(ctx)
	case err != nil:
		_ = stdin.Close()
		return fmt.Errorf("its supervisor ended: %w", errors.Join(supervisor.Wait()))
	case answer != "\n":
		_ = stdin.Close()
		_ = supervisor.Wait()
		return errors.New(strings.TrimSpace(answer))
	}
	_, err = io.WriteString(stdin, "\n")
	return err
}

// end waits for a supervisor to stop, but not for ever.
func end(supervisor *exec.Cmd) {
	timer := time.AfterFunc(stopPatience, func() { _ = supervisor.Process.Kill() })
	defer timer.Stop()
	_ = supervisor.Wait()
}

// Down stops a cluster and removes what it kept. It returns what it found.
func Down(ctx context.Context, name string) (Info, error) {
	info, err := Get(name)
	if err != nil {
		return Info{}, err
	}
	p, err := locate(name)
	if err != nil {
		return Info{}, err
	}
	if info.Phase != Dead && info.Supervisor > 0 {
		if err := stop(ctx, p, info.Supervisor); err != nil {
			return info, fmt.Errorf("cannot stop cluster %q: %w", name, err)
		}
	}
	lock := p.lock()
	if locked, err := lock.TryLockContext(ctx, lockInterval); !locked {
		return info, fmt.Errorf("cannot stop cluster %q: %w", name, err)
	}
	defer lock.Unlock()
	return info, os.RemoveAll(p.dir())
}

// stop ends a supervisor, whose lock says that the process id is still its own, and kills it if it takes too long.
func stop(ctx context.Context, p place, supervisor int) error {
	if err := syscall.Kill(supervisor, syscall.SIGTERM); err != nil {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	lock := p.lock()
	if locked, _ := lock.TryLockContext(patience, lockInterval); locked {
		return lock.Unlock()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return syscall.Kill(supervisor, syscall.SIGKILL)
}
