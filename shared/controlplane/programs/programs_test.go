package programs

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tiny is a module that builds in no time, for what does not depend on which program is built. It prints the name it is
// called by.
func tiny(t *testing.T, main string) source {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/tiny\n\ngo 1.26.0\n")
	write(t, filepath.Join(dir, "main.go"), main)
	return source{dir: dir, version: "v1.2.3", inputs: main}
}

const printsItsName = "package main\n\nimport \"os\"\n\nfunc main() { println(os.Args[0]) }\n"

func TestBuild(t *testing.T) {
	freshCache(t)
	src := tiny(t, printsItsName)
	dir := mustBuild(t, src, io.Discard)
	set := ready(dir)
	if len(set) != len(names) {
		t.Fatalf("built %v", set)
	}
	output, err := exec.Command(set.Path("kubectl")).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(output)), "/kubectl") {
		t.Errorf("called as kubectl it is %q, %v", output, err)
	}

	var progress strings.Builder
	if again := mustBuild(t, src, &progress); again != dir || progress.Len() > 0 {
		t.Errorf("a second build: %s, %q", again, &progress)
	}
	src.inputs += "changed"
	if other := mustBuild(t, src, io.Discard); other == dir {
		t.Error("changed inputs share a folder")
	}
}

func TestDamagedCacheIsBuiltAnew(t *testing.T) {
	freshCache(t)
	src := tiny(t, printsItsName)
	for name, damage := range map[string]func(dir string) error{
		"removed":   func(dir string) error { return os.Remove(filepath.Join(dir, binary)) },
		"emptied":   func(dir string) error { return os.Truncate(filepath.Join(dir, binary), 0) },
		"truncated": func(dir string) error { return os.Truncate(filepath.Join(dir, binary), 100) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := mustBuild(t, src, io.Discard)
			leftover := filepath.Join(filepath.Dir(dir), unfinished+"123")
			if err := os.MkdirAll(leftover, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			set := ready(mustBuild(t, src, io.Discard))
			if output, err := exec.Command(set.Path("etcd")).CombinedOutput(); err != nil {
				t.Errorf("after the mend: %v, %s", err, output)
			}
			if _, err := os.Stat(leftover); !os.IsNotExist(err) {
				t.Errorf("the leftover: %v", err)
			}
		})
	}
}

func TestConcurrentBuildersBuildOnce(t *testing.T) {
	freshCache(t)
	src := tiny(t, printsItsName)
	var builders sync.WaitGroup
	reports := make([]strings.Builder, 3)
	for i := range reports {
		builders.Go(func() { mustBuild(t, src, &reports[i]) })
	}
	builders.Wait()
	built := 0
	for i := range reports {
		if strings.Contains(reports[i].String(), " packages") {
			built++
		}
	}
	if built != 1 {
		t.Errorf("%d of 3 builders built", built)
	}
}

func TestInterruptedBuildLeavesNothing(t *testing.T) {
	freshCache(t)
	src := tiny(t, printsItsName)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := buildInto(ctx, src, filepath.Join(t.TempDir(), "final"), newMeter(nil))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBadSurroundings(t *testing.T) {
	src := tiny(t, printsItsName)
	broken := tiny(t, "package main\n\nfunc main() { undefined() }\n")
	for name, test := range map[string]struct {
		env  map[string]string
		src  source
		want string
	}{
		"no home":          {map[string]string{"HOME": "", "XDG_CACHE_HOME": ""}, src, "set XDG_CACHE_HOME or HOME"},
		"unwritable cache": {map[string]string{"XDG_CACHE_HOME": "/dev/null"}, src, "set XDG_CACHE_HOME or HOME"},
		"no go":            {map[string]string{"PATH": ""}, src, "install it from https://go.dev/dl"},
		"does not compile": {nil, broken, "undefined: undefined"},
		"no module to have": {
			map[string]string{"GOPROXY": "http://127.0.0.1:1", "GOFLAGS": "-mod=mod"}, needy(t), "set GOPROXY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			freshCache(t)
			for key, value := range test.env {
				t.Setenv(key, value)
			}
			_, err := build(t.Context(), test.src, newMeter(nil))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
		})
	}
}

// needy is a module that requires one that is not to be had.
func needy(t *testing.T) source {
	t.Helper()
	src := tiny(t, "package main\n\nimport _ \"example.org/absent\"\n\nfunc main() {}\n")
	gomod := "module example.com/needy\n\ngo 1.26.0\n\nrequire example.org/absent v1.0.0\n"
	write(t, filepath.Join(src.dir, "go.mod"), gomod)
	return src
}

func TestAssetsArePreferred(t *testing.T) {
	dir := t.TempDir()
	for _, name := range names {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n")
	}
	t.Setenv(assetsVariable, dir)
	if set := ready(dir); len(set) > 0 {
		t.Errorf("files that cannot be run were taken: %v", set)
	}
	for _, name := range names {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "") // nothing is built
	set, err := Ensure(t.Context(), nil)
	if err != nil || set.Path("etcd") != filepath.Join(dir, "etcd") {
		t.Errorf("got %v, %v", set, err)
	}
}

func TestNoCheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := findSource()
	if err == nil || !strings.Contains(err.Error(), "inside the checkout") {
		t.Errorf("got %v", err)
	}
}

func TestSourceOfThisCheckout(t *testing.T) {
	src, err := findSource()
	if err != nil {
		t.Fatal(err)
	}
	if args := strings.Join(src.buildArgs(), " "); !strings.Contains(args, "version.gitVersion="+src.version+" ") ||
		!strings.Contains(args, "version.gitMajor=1 ") {
		t.Errorf("arguments: %s", args)
	}
}

func mustBuild(t *testing.T, src source, progress io.Writer) string {
	t.Helper()
	dir, err := build(t.Context(), src, newMeter(progress))
	if err != nil {
		t.Error(err)
	}
	return dir
}

// freshCache gives a test a cache folder of its own, but leaves go the one it has. In a new home the go command would
// start a telemetry process in the background, which still writes there when the test is over.
func freshCache(t *testing.T) {
	t.Helper()
	output, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(output)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // where macOS has caches
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	telemetry := filepath.Join(config, "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(telemetry, "mode"), "off")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
