package bench

import (
	"bytes"
	"fmt"
	"os"
)

// peakMemory is the largest resident set that a running process has had, in bytes: VmHWM of proc_pid_status(5). (The
// maximum that wait4(2) reports would include what the parent had before exec.)
func peakMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		var kibibytes int64
		if n, _ := fmt.Sscanf(string(line), "VmHWM: %d kB", &kibibytes); n == 1 {
			return kibibytes << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmHWM", pid)
}
