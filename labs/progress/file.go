package progress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"sigs.k8s.io/yaml"
)

// File is where progress is kept.
type File struct {
	Path string
}

// Default is labs.yaml where the XDG base directory specification wants a program's state.
func Default() (File, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return File{}, fmt.Errorf("no folder to keep progress in: %w; set XDG_STATE_HOME or HOME", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return File{filepath.Join(state, "twinloop", "labs.yaml")}, nil
}

// Read is what the file holds; nothing if it is not there.
func (f File) Read() (Progress, error) {
	content, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Progress{}, nil
	}
	if err != nil {
		return Progress{}, fmt.Errorf("cannot read the progress: %w", err)
	}
	var p Progress
	if err := yaml.UnmarshalStrict(content, &p); err != nil {
		return Progress{}, fmt.Errorf("%s is damaged: %s; mend it, or forget all progress with 'twinloop lab reset'",
			f.Path, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return p, nil
}

// Update changes one lab's record. The file is replaced as a whole or not at all, and nobody else changes it meanwhile.
func (f File) Update(folder string, change func(*Record)) error {
	return f.locked(func() error {
		p, err := f.Read()
		if err != nil {
			return err
		}
		record := p.Labs[folder]
		change(&record)
		if p.Labs == nil {
			p.Labs = map[string]Record{}
		}
		p.Labs[folder] = record
		return f.replace(p)
	})
}

// Forget drops one lab's record.
func (f File) Forget(folder string) error {
	return f.locked(func() error {
		p, err := f.Read()
		if err != nil {
			return err
		}
		delete(p.Labs, folder)
		return f.replace(p)
	})
}

// ForgetAll removes the file, whatever it holds.
func (f File) ForgetAll() error {
	return f.locked(func() error {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot forget the progress: %w", err)
		}
		return nil
	})
}

// locked does something while nobody else does. The lock is a file of its own, because the other one is replaced.
func (f File) locked(do func() error) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return cannotKeep(err)
	}
	lock := flock.New(f.Path + ".lock")
	if err := lock.Lock(); err != nil {
		return cannotKeep(err)
	}
	return errors.Join(do(), lock.Unlock())
}

func (f File) replace(p Progress) error {
	content, err := yaml.Marshal(p)
	if err != nil {
		return err
	}
	written, err := os.CreateTemp(filepath.Dir(f.Path), ".labs-*.yaml")
	if err != nil {
		return cannotKeep(err)
	}
	_, err = written.Write(content)
	if err = errors.Join(err, written.Sync(), written.Close()); err == nil {
		err = os.Rename(written.Name(), f.Path)
	}
	if err != nil {
		_ = os.Remove(written.Name())
		return cannotKeep(err)
	}
	return nil
}

func cannotKeep(err error) error {
	return fmt.Errorf("cannot keep the progress: %w; set XDG_STATE_HOME to a folder you can write", err)
}
