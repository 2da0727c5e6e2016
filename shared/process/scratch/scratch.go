// Package scratch makes temporary folders that do not outlive for long the process that made them, even if it is killed:
// each holds a lock while its maker lives, and the next process that makes one removes those whose lock is free.
package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

const (
	prefix   = "twinloop-"
	unlocked = ".twinloop-new-" // begins the name of a folder whose lock is not held yet
	lockName = "lock"
)

// A Folder is a temporary folder.
type Folder struct {
	Path string
	lock *flock.Flock
}

// New makes an empty folder, but for its lock, whose name says what it is for, and removes those of processes that are
// dead. It is locked before it gets a name that is swept.
func New(purpose string) (*Folder, error) {
	sweep()
	path, err := os.MkdirTemp("", unlocked)
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w; set TMPDIR to a place you can write", err)
	}
	named := filepath.Join(filepath.Dir(path), prefix+purpose+"-"+strings.TrimPrefix(filepath.Base(path), unlocked))
	lock := flock.New(filepath.Join(path, lockName))
	if _, err = lock.TryLock(); err == nil {
		err = os.Rename(path, named)
	}
	if err != nil {
		_ = os.RemoveAll(path)
		_ = lock.Unlock()
		return nil, fmt.Errorf("cannot lock a temporary folder: %w", err)
	}
	return &Folder{named, lock}, nil
}

// Remove removes the folder and what is in it.
func (f *Folder) Remove() {
	remove(f.Path)
	_ = f.lock.Unlock()
}

// remove removes a folder whose lock is held. The lock goes last, so that what cannot be removed yet, since somebody still
// writes there, is swept another time.
func remove(path string) {
	entries, _ := os.ReadDir(path)
	for _, entry := range entries {
		if entry.Name() != lockName && os.RemoveAll(filepath.Join(path, entry.Name())) != nil {
			return
		}
	}
	_ = os.RemoveAll(path)
}

// sweep removes what killed processes left. It leaves alone what is not its own: folders without a lock, and those that
// it may not look into.
func sweep() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", lockName))
	for _, path := range locks {
		lock := flock.New(path)
		if free, err := lock.TryLock(); err == nil && free {
			remove(filepath.Dir(path))
			_ = lock.Unlock()
		}
	}
}
