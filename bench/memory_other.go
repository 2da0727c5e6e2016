//go:build !linux

package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// peakMemory is the resident set of a running process, in bytes. What its largest one was, only Linux tells while the
// process runs, so this is too little where memory has been given back.
func peakMemory(pid int) (int64, error) {
	output, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	kibibytes, err := strconv.ParseInt(strings.TrimSpace(string(output)), 10, 64)
	return kibibytes << 10, err
}
