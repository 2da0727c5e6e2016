// Package checkout finds the source tree of the project, from which its programs are built.
package checkout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

const module = "example.com/twinloop"

// Root is the checkout's top folder: the one with the project's go.mod at or above the working directory, or else at
// or above the executable's own folder.
func Root() (string, error) {
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if executable, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(executable))
	}
	for _, start := range starts {
		if root, ok := above(start); ok {
			return root, nil
		}
	}
	return "", fmt.Errorf("no checkout of %s at or above %s: run this inside the checkout",
		module, strings.Join(starts, " or "))
}

func above(dir string) (string, bool) {
	for {
		gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(gomod) == module {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
