package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/twinloop/shared/process"
	"example.com/twinloop/shared/process/scratch"
)

// folder is where the scaffold is, in the checkout as in the copy of it that kubebuilder writes to.
const folder = "kubebuilder"

// pinned is the nested module that pins kubebuilder.
const pinned = "tools/kubebuilder"

// scaffold runs kubebuilder's commands in a copy of as much of the checkout as they look at, and returns the files that
// they write, by their path below the folder.
func scaffold(ctx context.Context, root string, commands []string) (map[string][]byte, error) {
	temporary, err := scratch.New("scaffold")
	if err != nil {
		return nil, err
	}
	defer temporary.Remove()
	temp := temporary.Path
	for _, needed := range []string{"go.mod", "go.sum", "shared/api/fleet"} {
		if err := copyTree(filepath.Join(root, needed), filepath.Join(temp, needed)); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(temp, folder)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	version, err := run(ctx, filepath.Join(root, pinned), nil, "go", "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/kubebuilder/v4")
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(temp, "bin", "kubebuilder")
	if _, err := run(ctx, filepath.Join(root, pinned), nil, "go", "build", "-o", binary, "sigs.k8s.io/kubebuilder/v4"); err != nil {
		return nil, err
	}
	// A kubebuilder that is built as a module's tool does not know its version, which it writes down.
	env := []string{"KUBEBUILDER_TEST_VERSION=" + strings.TrimSpace(version), "NO_COLOR=1"}
	for _, command := range commands {
		if _, err := run(ctx, dir, env, binary, strings.Fields(command)...); err != nil {
			return nil, err
		}
		// It is a package of the checkout's module, not a module of its own.
		for _, own := range []string{"go.mod", "go.sum"} {
			if err := os.Remove(filepath.Join(dir, own)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	files, err := filesOf(dir)
	for path, content := range files {
		files[path] = withoutYear(content)
	}
	return files, err
}

// year is in the licence of every file, and is that of the day on which it was scaffolded.
var year = regexp.MustCompile(`Copyright 20\d\d\.`)

func withoutYear(content []byte) []byte { return year.ReplaceAll(content, []byte("Copyright YYYY.")) }

// run runs a command, and returns what it prints. It ends with ctx, and does not outlive this process.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := process.Run(ctx, cmd)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, complaint(stderr.String()))
	}
	return stdout.String(), err
}

// complaint is the line of what a command printed that says what is wrong: cobra's, which help follows, or else the last.
func complaint(printed string) string {
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "Error: ") }); i >= 0 {
		return lines[i]
	}
	return lines[len(lines)-1]
}

// filesOf reads every file below a folder.
func filesOf(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(below)] = content
		return err
	})
	return files, err
}

func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
