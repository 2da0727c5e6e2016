package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// executable is the built command.
var executable string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "twinloop-test-")
	if err != nil {
		panic(err)
	}
	executable = filepath.Join(dir, "twinloop")
	output, err := exec.Command("go", "build", "-o", executable, ".").CombinedOutput()
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintf(os.Stderr, "cannot build the command: %s", output)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func TestReport(t *testing.T) {
	for _, test := range []struct {
		err         error
		interrupted bool
		want        int
	}{
		{nil, false, 0},
		{finding{errors.New("1 of 3 failed")}, false, exitFinding},
		{errors.New("no such file"), false, exitCannotRun},
		{errors.New("context canceled"), true, exitInterrupted},
	} {
		if got := report(test.err, test.interrupted); got != test.want {
			t.Errorf("report(%v, %v) = %d, want %d", test.err, test.interrupted, got, test.want)
		}
	}
}
