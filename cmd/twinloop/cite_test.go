package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"example.com/twinloop/cite"
)

func TestCite(t *testing.T) {
	checkout := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(checkout, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/twinloop\n")
	write("page.md", "go.mod:2 `module`, page.md:1 \"<&>\"\n")
	if output, err := exec.Command("git", "init", "--quiet", checkout).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, output)
	}
	twinloop := func(wantCode int, wantOut, wantErr string, args ...string) string {
		t.Helper()
		cmd := exec.Command(executable, append([]string{"cite"}, args...)...)
		cmd.Dir = checkout
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != wantCode {
			t.Errorf("cite %v: exit status %d, want %d", args, code, wantCode)
		}
		if wantOut != "" && stdout.String() != wantOut ||
			!strings.Contains(stderr.String(), wantErr) || (wantErr == "") != (stderr.String() == "") {
			t.Errorf("cite %v: said\n%sand\n%swant\n%sand\n%s", args, stdout.String(), stderr.String(), wantOut, wantErr)
		}
		return stdout.String()
	}

	twinloop(0, "WHERE       CITES       WHAT\npage.md:1   go.mod:2    `module`\npage.md:1   page.md:1   `<&>`\n", "")
	var fromJSON, fromYAML []cite.Citation
	if err := json.Unmarshal([]byte(twinloop(0, "", "", "-o", "json")), &fromJSON); err != nil {
		t.Error(err)
	}
	if err := yaml.Unmarshal([]byte(twinloop(0, "", "", "-o", "yaml")), &fromYAML); err != nil {
		t.Error(err)
	}
	if len(fromJSON) != 2 || len(fromYAML) != 2 || fromJSON[0].Of != fromYAML[0].Of || fromJSON[1].Text != "<&>" {
		t.Errorf("JSON and YAML differ: %+v, %+v", fromJSON, fromYAML)
	}
	twinloop(exitCannotRun, "", `--output: must be table, json or yaml, not "name"`, "-o", "name")
	twinloop(exitCannotRun, "", "[check fix output]", "--check", "--fix")
	twinloop(exitCannotRun, "", "[check fix output]", "--check", "-o", "json")

	const summary = "2 citations in 1 file: 0 into 0 modules, 2 into the project\n"
	twinloop(exitFinding, summary, "page.md:1: go.mod:2: the text is in line 1: run 'twinloop cite --fix'\n", "--check")
	write("page.md", "go.mod:2 `module`\n")
	twinloop(0, "page.md:1: go.mod:2: moved to go.mod:1\n1 citation in 1 file: 0 into 0 modules, 1 into the project\n", "", "--fix")
	twinloop(0, "1 citation in 1 file: 0 into 0 modules, 1 into the project\n", "", "--check")
	write("go.mod", "// The module.\nmodule example.com/twinloop\n")
	write("page.md", "go.mod:2 `module`\n")
	twinloop(exitFinding, "1 citation in 1 file: 0 into 0 modules, 1 into the project\n",
		"page.md:1: go.mod:2: the text `module` is in lines 1 and 2: cite more of it\n", "--fix")
}
