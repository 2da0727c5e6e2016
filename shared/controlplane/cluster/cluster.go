// Package cluster keeps control planes running for a person, by name: Up starts one that outlives the command, Down
// stops it, List says which there are.
//
// Behind each is a supervisor, a process in a session of its own that holds a lock for as long as it lives. The lock
// tells a running cluster from the remains of one, whatever happened: a supervisor that is killed takes its programs
// with it (package process) and lets go of the lock, and what it leaves on disk the next Up or Down clears away.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/apimachinery/pkg/util/validation"
)

// A Phase is where a cluster is in its life.
type Phase string

const (
	Starting Phase = "Starting"
	Running  Phase = "Running"
	// Dead is a cluster whose supervisor was killed or gave up; its logs are still there.
	Dead Phase = "Dead"
)

// An Info describes a cluster.
type Info struct {
	Name       string    `json:"name"`
	Phase      Phase     `json:"phase"`
	Version    string    `json:"version,omitempty"`
	Server     string    `json:"server,omitempty"`
	Started    time.Time `json:"started"`
	Supervisor int       `json:"supervisor"` // its process id
	Kubeconfig string    `json:"kubeconfig"`
	Kubectl    string    `json:"kubectl"`
}

// A place is where a cluster's things are.
type place struct{ name, root string }

// locate checks a cluster's name and says where its things are.
func locate(name string) (place, error) {
	if !isName(name) {
		return place{}, fmt.Errorf("%q is no cluster name: use at most 63 lower case letters, digits and hyphens, "+
			"such as my-cluster", name)
	}
	root, err := stateFolder()
	return place{name, root}, err
}

func isName(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// stateFolder is where the XDG base directory specification wants state that survives a restart of a program.
func stateFolder() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no folder to keep clusters in: %w; set XDG_STATE_HOME or HOME", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	root := filepath.Join(state, "twinloop", "clusters")
	if err := os.MkdirAll(filepath.Join(root, ".locks"), 0o700); err != nil {
		return "", fmt.Errorf("cannot make a folder to keep clusters in: %w; "+
			"set XDG_STATE_HOME or HOME to a place you can write", err)
	}
	return root, nil
}

func (p place) dir() string        { return filepath.Join(p.root, p.name) }
func (p place) kubeconfig() string { return filepath.Join(p.dir(), "kubeconfig") }
func (p place) log() string        { return filepath.Join(p.dir(), "supervisor.log") }
func (p place) record() string     { return filepath.Join(p.dir(), "cluster.json") }

// lock is outside dir, so that removing dir never takes a lock from under its holder.
func (p place) lock() *flock.Flock { return flock.New(filepath.Join(p.root, ".locks", p.name)) }

// supervised tells whether a supervisor lives.
func (p place) supervised() (bool, error) {
	lock := p.lock()
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("cannot tell whether cluster %q is running: %w", p.name, err)
	}
	_ = lock.Unlock()
	return !free, nil
}

// exists tells whether there is a cluster of that name, running or not.
func (p place) exists() bool {
	_, err := os.Stat(p.dir())
	return err == nil
}

func (p place) write(info Info) error {
	content, err := json.Marshal(info)
	if err != nil {
		return err
	}
	temp := p.record() + ".new"
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, p.record())
}

// read describes a cluster by what its supervisor last wrote, and by whether that still lives.
func (p place) read() (Info, error) {
	info := Info{Name: p.name, Phase: Starting}
	content, err := os.ReadFile(p.record())
	if err == nil {
		err = json.Unmarshal(content, &info)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Info{}, fmt.Errorf("cannot read the record of cluster %q: %w", p.name, err)
	}
	supervised, err := p.supervised()
	if err == nil && !supervised {
		info.Phase = Dead
	}
	return info, err
}

// Get describes the cluster of a name. That there is none is an error that says so.
func Get(name string) (Info, error) {
	p, err := locate(name)
	if err != nil {
		return Info{}, err
	}
	if !p.exists() {
		return Info{}, fmt.Errorf("no cluster %q; `twinloop cluster status` lists those there are", name)
	}
	return p.read()
}

// List describes all clusters, by name.
func List() ([]Info, error) {
	root, err := stateFolder()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	infos := []Info{}
	for _, entry := range entries {
		if !isName(entry.Name()) {
			continue
		}
		info, err := place{entry.Name(), root}.read()
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}
