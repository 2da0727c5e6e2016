package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"example.com/twinloop/shared/process/gocommand"
)

const (
	binary       = "controlplane"
	sizeFile     = "size"         // holds the binary's size in bytes
	unfinished   = ".unfinished-" // begins the name of a folder that is being built
	lockInterval = 200 * time.Millisecond
)

// build returns the cache folder that holds the programs, after building them if it does not exist. A folder
// gets its final name only when it is whole; the lock keeps a second builder out and makes it safe to sweep
// what an interrupted one left.
func build(ctx context.Context, src source, m *meter) (string, error) {
	version, err := goVersion(ctx, src)
	if err != nil {
		return "", err
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, src.cacheName(version))
	if whole(dir) {
		return dir, nil
	}
	lock, err := acquire(ctx, filepath.Join(cache, "lock"), m)
	if err != nil {
		return "", err
	}
	defer lock.Unlock()
	if whole(dir) {
		return dir, nil
	}
	return dir, buildInto(ctx, src, dir, m)
}

// whole tells whether a folder holds a build as it came about. The size shows what a full disk or an interrupted copy of
// the cache has cut off, and costs next to nothing to look at.
func whole(dir string) bool {
	size, err := os.ReadFile(filepath.Join(dir, sizeFile))
	if err != nil || len(ready(dir)) < len(names) {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, binary))
	return err == nil && sizeText(info) == string(size)
}

func sizeText(info os.FileInfo) string { return fmt.Sprintln(info.Size()) }

// recordSize writes what whole compares.
func recordSize(dir string) error {
	info, err := os.Stat(filepath.Join(dir, binary))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sizeFile), []byte(sizeText(info)), 0o644)
}

// cacheFolder is where builds are kept. Its errors name the variable to set.
func cacheFolder() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder to build the control plane in: %w; set XDG_CACHE_HOME or HOME", err)
	}
	dir := filepath.Join(user, "twinloop", "controlplane")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cannot make the cache folder: %w; set XDG_CACHE_HOME or HOME to a place you can write", err)
	}
	return dir, nil
}

// acquire takes the builder's lock, and says so if another builder makes it wait.
func acquire(ctx context.Context, path string, m *meter) (*flock.Flock, error) {
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err == nil && !locked {
		m.say("waiting for another process that is building the control plane")
		_, err = lock.TryLockContext(ctx, lockInterval)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the control plane's cache: %w", err)
	}
	return lock, nil
}

func buildInto(ctx context.Context, src source, dir string, m *meter) error {
	leftovers, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), unfinished+"*"))
	for _, stale := range append(leftovers, dir) {
		if err := os.RemoveAll(stale); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), unfinished)
	if err != nil {
		return fmt.Errorf("cannot write to the cache folder: %w; set XDG_CACHE_HOME or HOME to a place you can write", err)
	}
	defer os.RemoveAll(temp)
	if err := compile(ctx, src, filepath.Join(temp, binary), m); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Symlink(binary, filepath.Join(temp, name)); err != nil {
			return err
		}
	}
	if err := recordSize(temp); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	return os.Rename(temp, dir)
}

// compile first lists the packages that go's own build cache lacks, which fetches the modules and says how much there
// is to do, and then compiles.
func compile(ctx context.Context, src source, output string, m *meter) error {
	defer m.done()
	var total int
	m.begin(func(n int) string {
		return "finding the control plane's packages" + ofWhich(n, "modules fetched")
	})
	err := src.run(ctx, func(string) { total++ }, func(line string) bool {
		return m.countIf(strings.HasPrefix(line, "go: downloading "))
	}, "list", "-trimpath", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", ".")
	if err != nil {
		return err
	}
	m.begin(func(n int) string { return fmt.Sprintf("building the control plane: %d of %d packages", n, total) })
	args := append(src.buildArgs(), "-v", "-o", output, ".")
	return src.run(ctx, func(string) {}, func(line string) bool {
		return m.countIf(!strings.ContainsAny(line, " :"))
	}, args...)
}

// goVersion asks the go command that would build, whose version go.mod's toolchain line may choose.
func goVersion(ctx context.Context, src source) (string, error) {
	var version string
	err := src.run(ctx, func(line string) { version = line }, func(string) bool { return false }, "env", "GOVERSION")
	return version, err
}

// run runs go in the nested module, handing each line it prints to stdout or to stderr. Lines that stderr does
// not know (returns false for) are go's own account of a failure.
func (s source) run(ctx context.Context, stdout func(string), stderr func(string) bool, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOWORK=off")
	var account []string
	cmd.Stdout = &lineWriter{each: stdout}
	cmd.Stderr = &lineWriter{each: func(line string) {
		if !stderr(line) {
			account = append(account, line)
		}
	}}
	err := gocommand.Run(ctx, cmd)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return gocommand.Explain("go "+args[0]+" of the control plane", account, err)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the control plane cannot be built: %w", err)
	}
	return err
}

// A lineWriter calls each with every whole line written to it.
type lineWriter struct {
	each    func(line string)
	partial []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.partial = append(w.partial, p...)
	for {
		line, rest, found := bytes.Cut(w.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		w.partial = rest
		w.each(string(line))
	}
}
