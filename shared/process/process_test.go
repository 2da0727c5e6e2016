package process

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asParent makes the test binary a program that starts a child in the named way, prints its id and hangs.
const asParent = "PROCESS_TEST_AS_PARENT"

func TestMain(m *testing.M) {
	switch os.Getenv(asParent) {
	case "tied":
		p, err := Start(exec.Command("sleep", "1000"))
		hang(p.Pid(), err)
	case "watched":
		child := exec.Command("sleep", "1000")
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		dog, err := startWatchdog()
		if err == nil {
			err = child.Start()
			dog.guard(child.Process.Pid)
		}
		hang(child.Process.Pid, err)
	}
	goleak.VerifyTestMain(m)
}

func hang(child int, err error) {
	if err != nil {
		panic(err)
	}
	println(child)
	select {}
}

func TestExit(t *testing.T) {
	for command, want := range map[string]string{"exit 0": "", "exit 3": "exit status 3", "kill -9 $$": "signal: killed"} {
		p := start(t, command)
		<-p.Exited()
		got := ""
		if p.Err() != nil {
			got = p.Err().Error()
		}
		if got != want {
			t.Errorf("%s: ended with %q, want %q", command, got, want)
		}
		p.Kill() // does nothing and does not hang
		p.Stop(0)
	}
}

func TestStartOfNothing(t *testing.T) {
	if _, err := Start(exec.Command("/no/such/program")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestKillTakesTheGroupAlong(t *testing.T) {
	p, lines := startTalking(t, "sleep 1000 & echo $!; wait")
	descendant := readPid(t, lines)
	p.Kill()
	if syscall.Kill(p.Pid(), 0) == nil {
		t.Error("the process is there after Kill")
	}
	awaitEnd(t, descendant)
}

func TestDescendantsEndWithTheirLeader(t *testing.T) {
	p, lines := startTalking(t, "sleep 1000 >/dev/null & echo $!")
	descendant := readPid(t, lines)
	<-p.Exited()
	awaitEnd(t, descendant)
}

func TestStop(t *testing.T) {
	willing, lines := startTalking(t, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done")
	lines.Scan()
	willing.Stop(time.Minute)
	if err := willing.Err(); err == nil || err.Error() != "exit status 7" {
		t.Errorf("a willing process ended with %v", err)
	}
	stubborn, lines := startTalking(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done")
	lines.Scan()
	stubborn.Stop(50 * time.Millisecond)
	if err := stubborn.Err(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("a stubborn process ended with %v", err)
	}
}

func TestKillReachesAStoppedProcess(t *testing.T) {
	p := start(t, "sleep 1000")
	p.Signal(syscall.SIGSTOP)
	p.Kill()
}

// A child ends with its parent, whether the kernel or the watchdog sees to it.
func TestParentKilled(t *testing.T) {
	for _, way := range []string{"tied", "watched"} {
		t.Run(way, func(t *testing.T) {
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), asParent+"="+way)
			stderr, err := parent.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			child := readPid(t, bufio.NewScanner(stderr))
			if err := syscall.Kill(child, 0); err != nil {
				t.Errorf("no child before the kill: %v", err)
			}
			_ = parent.Process.Kill()
			_ = parent.Wait()
			awaitEnd(t, child)
		})
	}
}

func TestReleasedWatchdogKillsNothing(t *testing.T) {
	p := start(t, "sleep 1000")
	dog, err := startWatchdog()
	if err != nil {
		t.Fatal(err)
	}
	dog.guard(p.Pid())
	dog.release()
	select {
	case <-p.Exited():
		t.Error("killed")
	default:
	}
}

func start(t *testing.T, command string) *Process {
	t.Helper()
	p, err := Start(exec.Command("/bin/sh", "-c", command))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// startTalking also returns what the command prints.
func startTalking(t *testing.T, command string) (*Process, *bufio.Scanner) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stdout = writer
	p, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	writer.Close()
	return p, bufio.NewScanner(reader)
}

func readPid(t *testing.T, lines *bufio.Scanner) int {
	t.Helper()
	lines.Scan()
	pid, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// awaitEnd waits until a process, which is another's child, is gone or is only waiting to be reaped by init.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("process %d lives on", pid)
		}
	}
}

func alive(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}
