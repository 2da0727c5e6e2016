package operator

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	callers := []string{
		"PATH=/bin", "LANG=C", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=/home/me", "TMPDIR=/var/tmp", "KUBECONFIG=/home/me/production",
		"XDG_CONFIG_HOME=/home/me/.config", "KUBERNETES_SERVICE_HOST=10.0.0.1", "KUBERNETES_SERVICE_PORT=443", "KUBERNETES_MASTER=10.0.0.1",
		"HTTPS_PROXY=proxy:1", "POD_NAMESPACE=production", "LICENSE=a=b", "USER=me",
	}
	own := []string{"HOME=/f/home", "TMPDIR=/f/tmp", "KUBECONFIG=/run/kubeconfig", "XDG_CACHE_HOME=/f/home/.cache",
		"XDG_CONFIG_HOME=/f/home/.config", "XDG_DATA_HOME=/f/home/.local/share", "XDG_RUNTIME_DIR=/f/home/.run",
		"XDG_STATE_HOME=/f/home/.local/state"}
	neutral := []string{"PATH=/bin", "LANG=C", "LC_ALL=C.UTF-8", "TZ=UTC"}
	for _, test := range []struct {
		name      string
		inherit   []string
		namespace string
		want      []string
	}{
		{"in one namespace", nil, "ns", slices.Concat(own, []string{"POD_NAMESPACE=ns"}, neutral)},
		{"in all namespaces", nil, "", slices.Concat(own, neutral)},
		{"with a variable of the caller's", []string{"LICENSE"}, "", slices.Concat(own, neutral, []string{"LICENSE=a=b"})},
	} {
		got := environment(callers, test.inherit, "/f", Situation{Kubeconfig: "/run/kubeconfig", Namespace: test.namespace})
		if difference := cmp.Diff(test.want, got); difference != "" {
			t.Errorf("%s: - want, + got\n%s", test.name, difference)
		}
	}
}

// TestHomeIsTheProcesssOwn as long as it runs.
func TestHomeIsTheProcesssOwn(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	program := filepath.Join(t.TempDir(), "program")
	const text = `#!/bin/sh
for folder in "$HOME" "$TMPDIR" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"; do
  touch "$folder/file" && echo "$folder"
done
`
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	started, err := Command{Program: program}.Start(Situation{Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	<-started.Exited()
	folders := strings.Fields(log.String())
	outside := func(folder string) bool { return !strings.HasPrefix(folder, temp+"/twinloop-home-") }
	if len(folders) != 7 || slices.ContainsFunc(folders, outside) {
		t.Errorf("its folders are\n%s", log.String())
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestCheckInherit(t *testing.T) {
	t.Setenv("LICENSE", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	for name, want := range map[string]string{
		"LICENSE":                 "",
		"TWINLOOP_NO_SUCH":        `"TWINLOOP_NO_SUCH" is not set: set it, or leave it out`,
		"":                        `"" is not set`,
		"KUBECONFIG":              "KUBECONFIG is not passed on: it may lead the operator to a cluster of yours, past the drill",
		"KUBERNETES_SERVICE_HOST": "KUBERNETES_SERVICE_HOST is not passed on: ",
		"HOME":                    "HOME is not passed on: ~/.kube/config may lead",
	} {
		err := CheckInherit(name)
		if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}
