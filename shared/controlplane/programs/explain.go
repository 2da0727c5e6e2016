package programs

import (
	"fmt"
	"regexp"
	"strings"
)

// unfetched matches what cmd/go prints of a module it cannot get: `main.go:16:2: k8s.io/api@v0.37.2: Get …`.
var unfetched = regexp.MustCompile(`(\S+@v\S+): (.+)$`)

// explain makes one line of what a failed go command printed: the module that could not be had, with the
// mend, or else the first line that is not a heading.
func explain(command string, account []string, cause error) error {
	for _, line := range account {
		if match := unfetched.FindStringSubmatch(line); match != nil {
			return fmt.Errorf("cannot fetch the module %s: %s; check the network, or set GOPROXY to a module "+
				"proxy that you can reach", match[1], match[2])
		}
	}
	for _, line := range account {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return fmt.Errorf("go %s of the control plane failed: %s", command, line)
		}
	}
	return fmt.Errorf("go %s of the control plane failed: %w", command, cause)
}
