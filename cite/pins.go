package cite

import (
	"maps"
	"path"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// pins are the versions that the project is pinned to, by module. The first is the newest.
type pins map[string][]pin

type pin struct {
	version string
	// dir is the folder of a go.mod that has it, below the checkout.
	dir string
}

// rank tells which go.mod has the say about a module.
type rank int

const (
	ofProject rank = iota // the go.mod at the root requires it
	direct                // a nested go.mod requires it for its own sake
	indirect              // a nested go.mod requires it for another module's sake
)

// pinned reads what go.mod files pin, by their paths. Of those that require a module, only the first in rank count. A module
// that is replaced is pinned to its replacement, and one that is replaced by a folder is not pinned.
func pinned(files map[string]*modfile.File) pins {
	pinned, ranks := pins{}, map[string]rank{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		for _, require := range file.Require {
			mod := replacement(require.Mod, file.Replace)
			if mod.Version == "" {
				continue
			}
			r := rankOf(name, require)
			if known, ok := ranks[mod.Path]; !ok || r < known {
				pinned[mod.Path], ranks[mod.Path] = nil, r
			}
			if r == ranks[mod.Path] {
				pinned[mod.Path] = append(pinned[mod.Path], pin{mod.Version, path.Dir(name)})
			}
		}
	}
	for _, of := range pinned {
		slices.SortStableFunc(of, func(a, b pin) int { return semver.Compare(b.version, a.version) })
	}
	return pinned
}

func rankOf(name string, require *modfile.Require) rank {
	switch {
	case name == "go.mod":
		return ofProject
	case !require.Indirect:
		return direct
	default:
		return indirect
	}
}

// replacement is the module that the go command takes for one: that which replaces this version, or else any version.
// https://go.dev/ref/mod#go-mod-file-replace
func replacement(mod module.Version, replaces []*modfile.Replace) module.Version {
	found := mod
	for _, replace := range replaces {
		switch replace.Old {
		case mod:
			return replace.New
		case module.Version{Path: mod.Path}:
			found = replace.New
		}
	}
	return found
}
