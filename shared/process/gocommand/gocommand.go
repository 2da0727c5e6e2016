// Package gocommand runs the go command to build a part of the project, and says in one line what is wrong if it cannot.
package gocommand

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"example.com/twinloop/shared/process"
	"example.com/twinloop/shared/process/scratch"
)

// Run runs a go command to its end, or kills it with all that it has started if ctx ends first. Since go build leaves its
// temporary folder behind when it is killed, it is given one that goes in any case.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	temp, err := scratch.New("go")
	if err != nil {
		return err
	}
	defer temp.Remove()
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+temp.Path)
	err = process.Run(ctx, cmd)
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("go is not on PATH: install it from https://go.dev/dl")
	}
	return err
}

// unfetched matches what cmd/go prints of a module it cannot get: `main.go:16:2: k8s.io/api@v0.37.2: Get …`.
var unfetched = regexp.MustCompile(`(\S+@v\S+): (.+)$`)

// homeless matches what cmd/go prints when nothing says where its caches are.
var homeless = regexp.MustCompile(`^go: module cache not found|GOCACHE is not defined`)

// Explain makes one line of what a go command printed that failed at something: what it could not do without, with the
// mend, or else the first line that is not a heading.
func Explain(what string, account []string, cause error) error {
	for _, line := range account {
		if match := unfetched.FindStringSubmatch(line); match != nil {
			return fmt.Errorf("cannot fetch the module %s: %s; check the network, or set GOPROXY to a module "+
				"proxy that you can reach", match[1], match[2])
		}
		if homeless.MatchString(line) {
			return fmt.Errorf("%s failed: go has no folder for its caches; set HOME", what)
		}
	}
	for _, line := range account {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return fmt.Errorf("%s failed: %s", what, line)
		}
	}
	return fmt.Errorf("%s failed: %w", what, cause)
}
