package gocommand

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestExplain(t *testing.T) {
	for name, test := range map[string]struct {
		account []string
		want    string
	}{
		"module": {
			[]string{"go: downloading k8s.io/api v0.37.2", `main.go:1:2: k8s.io/api@v0.37.2: Get "https://p": no route`},
			`cannot fetch the module k8s.io/api@v0.37.2: Get "https://p": no route; check the network, ` +
				`or set GOPROXY to a module proxy that you can reach`,
		},
		"compiler": {
			[]string{"# example.com/x", "./main.go:4:2: undefined: y"},
			"go build of the control plane failed: ./main.go:4:2: undefined: y",
		},
		"no home": {
			[]string{"go: module cache not found: neither GOMODCACHE nor GOPATH is set"},
			"go build of the control plane failed: go has no folder for its caches; set HOME",
		},
		"silence": {nil, "go build of the control plane failed: exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Explain("go build of the control plane", test.account, errors.New("exit status 1")).Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNoGo(t *testing.T) {
	t.Setenv("PATH", "")
	err := Run(t.Context(), exec.Command("go", "version"))
	if err == nil || err.Error() != "go is not on PATH: install it from https://go.dev/dl" {
		t.Errorf("got %v", err)
	}
}

// TestInterruptedBuildCleansUp interrupts go while it compiles, and looks for its temporary folder.
func TestInterruptedBuildCleansUp(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	compiling := filepath.Join(dir, "compiling")
	// The compiler is replaced by a program that says that it runs, and runs until it is ended.
	tool := filepath.Join(dir, "tool")
	for name, content := range map[string]string{
		tool: "#!/bin/sh\ncase \"$*\" in *-V=full*) exec \"$@\";; esac\n" +
			": >" + compiling + "\nexec sleep 1000\n",
		filepath.Join(dir, "go.mod"):  "module example.com/tiny\n\ngo 1.26.0\n",
		filepath.Join(dir, "main.go"): "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	cmd := exec.Command("go", "build", "-a", "-toolexec="+tool, "-o", filepath.Join(dir, "tiny"), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	go func() { ended <- Run(ctx, cmd) }()
	for !exists(compiling) {
		select {
		case err := <-ended:
			t.Fatalf("ended before it was interrupted: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
