package cite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"example.com/twinloop/shared/process/gocommand"
)

// A moduleCache is where the go command keeps modules. https://go.dev/ref/mod#module-cache
type moduleCache struct {
	dir      string
	root     string // of the checkout
	progress io.Writer
}

func newModuleCache(ctx context.Context, root string, progress io.Writer) (moduleCache, error) {
	printed, err := goCommand(ctx, root, "env", "GOMODCACHE")
	return moduleCache{strings.TrimSpace(printed), root, progress}, err
}

// folder is that of a module, which is fetched if it is not there.
func (c moduleCache) folder(ctx context.Context, path string, by pin) (string, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(by.version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.dir, filepath.FromSlash(escaped)+"@"+version)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	fmt.Fprintf(c.progress, "fetching %s@%s\n", path, by.version)
	// It runs beside the go.mod that pins the module, whose go.sum knows what the module has to be.
	_, err = goCommand(ctx, filepath.Join(c.root, by.dir), "mod", "download", "-json", path+"@"+by.version)
	return dir, err
}

// goCommand runs a go command, and returns what it prints. It ends with ctx.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := gocommand.Run(ctx, cmd)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || ctx.Err() != nil {
		return stdout.String(), err
	}
	// go mod download -json says in its answer what is wrong.
	var answer struct{ Error string }
	_ = json.Unmarshal(stdout.Bytes(), &answer)
	account := strings.Split(answer.Error+"\n"+stderr.String(), "\n")
	return "", gocommand.Explain("go "+strings.Join(args, " "), account, err)
}
