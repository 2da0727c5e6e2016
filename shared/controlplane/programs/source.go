package programs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"example.com/twinloop/shared/checkout"
)

// A source is the nested module to build from, with what decides the outcome of building it.
type source struct {
	dir     string
	version string // of Kubernetes, as go.mod pins it: v1.37.2
	inputs  string // the contents of its files
}

// findSource looks for the nested module in the checkout.
func findSource() (source, error) {
	root, err := checkout.Root()
	if err != nil {
		return source{}, fmt.Errorf("the control plane is built from the checkout: %w, or set %s to a folder that holds %s",
			err, assetsVariable, nameList())
	}
	return readSource(filepath.Join(root, "tools", "controlplane"))
}

func readSource(dir string) (source, error) {
	var inputs strings.Builder
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return source{}, fmt.Errorf("the checkout is incomplete: %w", err)
		}
		fmt.Fprintf(&inputs, "%s %d\n%s", name, len(content), content)
	}
	version, err := kubernetesVersion(filepath.Join(dir, "go.mod"))
	return source{dir: dir, version: version, inputs: inputs.String()}, err
}

// kubernetesVersion reads the version of k8s.io/kubernetes that a go.mod requires.
func kubernetesVersion(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, err := modfile.ParseLax(path, content, nil)
	if err != nil {
		return "", err
	}
	for _, require := range file.Require {
		if require.Mod.Path == "k8s.io/kubernetes" {
			return require.Mod.Version, nil
		}
	}
	return "", errors.New(path + " does not require k8s.io/kubernetes")
}

// buildArgs are go's arguments but for the output. The version is stamped as Kubernetes' own release build does
// (hack/lib/version.sh), which is what `kubectl version` and the API server's /version answer.
func (s source) buildArgs() []string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(s.version), "v"), ".")
	const at = " -X k8s.io/component-base/version."
	ldflags := "-s -w" + at + "gitVersion=" + s.version + at + "gitMajor=" + major + at + "gitMinor=" + minor +
		at + "gitTreeState=clean"
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags}
}

// cacheName tells apart builds that may differ.
func (s source) cacheName(goVersion string) string {
	sum := sha256.Sum256([]byte(s.inputs + goVersion + strings.Join(s.buildArgs(), " ")))
	return fmt.Sprintf("%s-%s-%s-%x", s.version, runtime.GOOS, runtime.GOARCH, sum[:6])
}
