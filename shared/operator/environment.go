package operator

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/twinloop/shared/process/scratch"
)

// The folders of a process, below one that is removed when it has ended.
const (
	home      = "home"
	temporary = "tmp"
)

// belowHome are the folders of the XDG Base Directory Specification, by the variables that name them.
var belowHome = map[string]string{
	"XDG_CACHE_HOME": ".cache", "XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state",
	"XDG_RUNTIME_DIR": ".run",
}

// environment returns the environment of a process whose folders are below one of its own. All that client libraries look for
// where they are not told a kubeconfig leads to the situation's API server or nowhere: $KUBECONFIG, ~/.kube/config, the variables
// that a pod has. Of the caller's environment it has what programs need anywhere, and the variables to inherit.
func environment(callers, inherit []string, folder string, s Situation) []string {
	all := []string{
		"HOME=" + filepath.Join(folder, home), "TMPDIR=" + filepath.Join(folder, temporary), "KUBECONFIG=" + s.Kubeconfig,
	}
	for _, name := range slices.Sorted(maps.Keys(belowHome)) {
		all = append(all, name+"="+filepath.Join(folder, home, belowHome[name]))
	}
	if s.Namespace != "" {
		all = append(all, "POD_NAMESPACE="+s.Namespace)
	}
	for _, setting := range callers {
		if name, _, _ := strings.Cut(setting, "="); neutral(name) || slices.Contains(inherit, name) {
			all = append(all, setting)
		}
	}
	return all
}

// neutral reports whether a variable of the caller's says nothing of clusters and is needed anywhere.
func neutral(name string) bool {
	return slices.Contains([]string{"PATH", "LANG", "TZ"}, name) || strings.HasPrefix(name, "LC_")
}

// CheckInherit reports a variable that cannot be inherited: one that is not set, or that leads to the caller's cluster.
func CheckInherit(name string) error {
	switch {
	case name == "KUBECONFIG" || strings.HasPrefix(name, "KUBERNETES_"):
		return fmt.Errorf("%s is not passed on: it may lead the operator to a cluster of yours, past the drill", name)
	case name == "HOME":
		return fmt.Errorf("%s is not passed on: ~/.kube/config may lead the operator to a cluster of yours, past the drill", name)
	}
	if _, ok := os.LookupEnv(name); !ok {
		return fmt.Errorf("%q is not set: set it, or leave it out", name)
	}
	return nil
}

// newHome makes the folders that the environment of a process names.
func newHome() (*scratch.Folder, error) {
	folder, err := scratch.New("home")
	if err != nil {
		return nil, err
	}
	paths := []string{filepath.Join(folder.Path, temporary)}
	for _, path := range belowHome {
		paths = append(paths, filepath.Join(folder.Path, home, path))
	}
	for _, path := range paths {
		if err := os.MkdirAll(path, 0o700); err != nil {
			folder.Remove()
			return nil, fmt.Errorf("making a home folder: %w", err)
		}
	}
	return folder, nil
}
