// Package programs provides etcd, kube-apiserver, kube-controller-manager and kubectl.
//
// They are built from pinned Go modules (tools/controlplane) the first time they are wanted, and kept under
// the user's cache folder by version and build inputs, so that every later run, clone and CI job on the
// machine finds them there. Nothing prebuilt is downloaded.
package programs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// names lists the programs; tools/controlplane runs the one it is called by.
var names = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kubectl"}

// assetsVariable names the folder of ready-made programs, as controller-runtime's envtest reads it.
const assetsVariable = "KUBEBUILDER_ASSETS"

// A Set says where each program is.
type Set map[string]string

// Path is the named program's file. It panics on a name that is not one of the four.
func (s Set) Path(name string) string {
	path, ok := s[name]
	if !ok {
		panic(fmt.Sprintf("programs: no program %q", name))
	}
	return path
}

// Ensure finds the programs, and builds them if they are not there yet, which takes minutes; how far it has
// come is written to progress (nil for nowhere). Programs in the folder that KUBEBUILDER_ASSETS names are
// preferred; what it does not hold comes from the build.
//
// Of several callers at once, in this process or others, one builds and the rest wait for it. A build that
// is interrupted leaves nothing that a later one would take for whole.
func Ensure(ctx context.Context, progress io.Writer) (Set, error) {
	set := ready(os.Getenv(assetsVariable))
	if len(set) == len(names) {
		return set, nil
	}
	src, err := findSource()
	if err != nil {
		return nil, err
	}
	dir, err := build(ctx, src, newMeter(progress))
	if err != nil {
		return nil, err
	}
	for name, path := range ready(dir) {
		if set[name] == "" {
			set[name] = path
		}
	}
	return set, nil
}

// ready lists the programs that a folder holds.
func ready(dir string) Set {
	set := Set{}
	if dir == "" {
		return set
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			set[name] = path
		}
	}
	return set
}

// nameList is for messages.
func nameList() string { return strings.Join(names, ", ") }
