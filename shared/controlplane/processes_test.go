package controlplane_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processesIn lists the living processes that work in a folder, as each of a control plane's programs does.
func processesIn(t *testing.T, dir string) []int {
	t.Helper()
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("needs /proc to see processes")
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.TrimSuffix(at, " (deleted)") == dir {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill kills a process if it is the named program.
func kill(t *testing.T, pid int, name string) {
	t.Helper()
	command, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	if program, _, _ := strings.Cut(string(command), "\x00"); filepath.Base(program) == name {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
