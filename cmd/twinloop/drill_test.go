package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/twinloop/chaos/drill"
)

// TestDrill goes the whole way of the command for one point, and shows what a program that reads the report relies on.
func TestDrill(t *testing.T) {
	i := newInstallation(t)
	cmd := i.command("drill", "crash", "--operator", "handwired", "--point", "scale: POST pods #1, after", "-o", "json")
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("exit status: %v\n%s", err, output)
	}
	var report struct {
		Summary struct {
			Operator, Drill                  string
			Points, Injected, Passed, Failed int
			Seconds                          float64
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("the report is no JSON: %v\n%s", err, output)
	}
	s := report.Summary
	if s.Operator != "handwired" || s.Drill != "crash" || s.Points != 1 || s.Injected != 1 || s.Passed != 1 || s.Failed != 0 || s.Seconds <= 0 {
		t.Errorf("summary %+v", s)
	}
	i.requireNothingLeft(t)
}

// TestDrillOfTwo drills both operators on one control plane.
func TestDrillOfTwo(t *testing.T) {
	i := newInstallation(t)
	page := filepath.Join(t.TempDir(), "x.html")
	output, err := i.command("drill", "crash", "--operator", "handwired,kubebuilder",
		"--point", "scale: POST pods #1, after", "-o", "json", "--html", page).Output()
	if err != nil {
		t.Fatalf("exit status: %v\n%s", err, output)
	}
	var reports []struct{ Summary struct{ Operator string } }
	if err := json.Unmarshal(output, &reports); err != nil {
		t.Fatalf("the reports are no JSON: %v\n%s", err, output)
	}
	if len(reports) != 2 || reports[0].Summary.Operator != "handwired" || reports[1].Summary.Operator != "kubebuilder" {
		t.Errorf("reports of %+v", reports)
	}
	for _, operator := range []string{"handwired", "kubebuilder"} {
		if _, err := os.Stat(strings.Replace(page, "x", "x-crash-"+operator, 1)); err != nil {
			t.Error(err)
		}
	}
}

// TestDrillPointThatIsNotThere is an error, not a pass.
func TestDrillPointThatIsNotThere(t *testing.T) {
	i := newInstallation(t)
	output, status := i.run("drill", "crash", "--operator", "handwired", "--point", "scale: POST pods #99, after")
	if status != exitCannotRun || !strings.Contains(output, "did not come by it, only by scale: POST pods #1; ") {
		t.Errorf("status %d, want %d and a line that says what there is:\n%s", status, exitCannotRun, output)
	}
	i.requireNothingLeft(t)
}

func TestVerdict(t *testing.T) {
	passed := &drill.Report{Summary: drill.Summary{Operator: "a", Points: 3, Injected: 3, Passed: 3}}
	failed := &drill.Report{Summary: drill.Summary{Operator: "b", Points: 3, Injected: 3, Failed: 1}}
	missed := &drill.Report{Summary: drill.Summary{Operator: "c", Points: 3, Failed: 3}}
	for _, test := range []struct {
		reports drill.Reports
		status  int
		want    string
	}{
		{drill.Reports{passed}, 0, ""},
		{drill.Reports{passed, failed}, exitFinding, "b failed  at 1 of 3 points"},
		{drill.Reports{failed, missed}, exitCannotRun, "c, : no fault was injected"},
	} {
		err := verdict(test.reports)
		if status := report(err, false); status != test.status || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("status %d, %v; want %d, %s", status, err, test.status, test.want)
		}
	}
}

// TestResultIsPrintedThoughThePageCannotBeWritten has a file that can be opened and takes nothing.
func TestResultIsPrintedThoughThePageCannotBeWritten(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("needs " + full)
	}
	o := drillOptions{output: "table", html: full}
	work := &drillWork{definitions: []*drill.Definition{{Name: "d"}}, subjects: []*drillSubject{{name: "o"}}}
	if err := o.checkPages(work); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	err := o.print(drill.Reports{{Summary: drill.Summary{Operator: "o", Drill: "d", Seconds: 1}}}, work.several(), &printed)
	if err == nil || !strings.HasPrefix(err.Error(), "--html: ") || !strings.Contains(printed.String(), "o          d       0 ") {
		t.Errorf("got %v, and printed %q", err, printed.String())
	}
}

// TestCheckPagesChangesNothing neither a file that is there nor that there is none.
func TestCheckPagesChangesNothing(t *testing.T) {
	o := drillOptions{html: filepath.Join(t.TempDir(), "x.html")}
	work := &drillWork{
		definitions: []*drill.Definition{{Name: "d"}}, subjects: []*drillSubject{{name: "a"}, {name: "b"}},
	}
	if err := os.WriteFile(o.page(true, "d", "a"), []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.checkPages(work); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(o.page(true, "d", "a")); err != nil || string(content) != "earlier" {
		t.Errorf("the page of a is %q, %v", content, err)
	}
	if _, err := os.Stat(o.page(true, "d", "b")); !os.IsNotExist(err) {
		t.Errorf("the page of b: %v", err)
	}
}

// TestDrillBadSurroundings is told in one line after that of what was begun.
func TestDrillBadSurroundings(t *testing.T) {
	i := newInstallation(t)
	noGo := t.TempDir()
	for _, test := range []struct {
		want string
		env  []string
	}{
		{"error: building handwired: go is not on PATH: install it from https://go.dev/dl\n", []string{"PATH=" + noGo}},
		{
			"go has no folder for its caches; set HOME\n",
			[]string{"HOME=", "GOPATH=", "GOMODCACHE=", "GOCACHE=", "XDG_CACHE_HOME="},
		},
		{"set TMPDIR to a place you can write\n", []string{"TMPDIR=/nonexistent"}},
	} {
		cmd := i.command("drill", "crash", "--operator", "handwired")
		cmd.Env = append(cmd.Env, test.env...)
		output, _ := cmd.CombinedOutput()
		said := strings.TrimPrefix(string(output), "building handwired\n")
		oneLine := strings.Count(said, "\n") == 1 && strings.HasPrefix(said, "error: ")
		if !oneLine || !strings.HasSuffix(said, test.want) || cmd.ProcessState.ExitCode() != exitCannotRun {
			t.Errorf("%s: %s, want one line with %q:\n%s", test.env, cmd.ProcessState, test.want, said)
		}
	}
}

// TestKilledDrill leaves its folders to the next one.
func TestKilledDrill(t *testing.T) {
	i := newInstallation(t)
	temp := t.TempDir()
	i.env = append(i.env, "TMPDIR="+temp)
	cmd := i.command("drill", "crash", "--operator", "handwired")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		found, _ := filepath.Glob(filepath.Join(temp, "twinloop-*"))
		return found
	}
	i.await(t, "a folder", func() bool { return len(left()) > 0 })
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(left()) == 0 {
		t.Fatal("a killed drill left nothing")
	}
	i.await(t, "the next start to clear up", func() bool {
		next := i.command("drill", "crash", "--operator", "handwired")
		next.Env = append(next.Env, "PATH="+t.TempDir())
		_ = next.Run()
		return len(left()) == 0
	})
}

// described is a drill file about an operator whose program there is not, with a part of it replaced.
func described(t *testing.T, replace, with string) string {
	t.Helper()
	const valid = `
operator:
  name: mine
  command: [twinloop-no-such-program, "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"]
observe: [pods]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}}
  await: pods.size() == 1
`
	if replace != "" && !strings.Contains(valid, replace) {
		t.Fatalf("the file does not contain %q", replace)
	}
	name := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(name, []byte(strings.Replace(valid, replace, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDrillBadUsage(t *testing.T) {
	i := newInstallation(t)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"name the drill: one of crash", []string{"drill"}},
		{`unknown drill "crsh": choose one of crash, errors`, []string{"drill", "crsh", "--operator", "handwired"}},
		{"drill file: open missing.yaml: no such file", []string{"drill", "missing.yaml", "--operator", "handwired"}},
		{"--operator: name one of handwired, kubebuilder, or give --config", []string{"drill", "crash"}},
		{`--operator: unknown operator "other": choose one of handwired`, []string{"drill", "crash", "--operator", "other"}},
		{"--lanes: must be at least 1", []string{"drill", "crash", "--operator", "handwired", "--lanes", "-1"}},
		{"--output: must be one of table, json, yaml, junit", []string{"drill", "crash", "--operator", "handwired", "-o", "xml"}},
		{`--inherit-env: "TWINLOOP_NO_SUCH" is not set: set it, or leave it out`,
			[]string{"drill", "crash", "--operator", "handwired", "--inherit-env", "PATH", "--inherit-env", "TWINLOOP_NO_SUCH"}},
		{"--inherit-env: KUBECONFIG is not passed on", []string{"drill", "crash", "--operator", "handwired", "--inherit-env", "KUBECONFIG"}},
		{"--shard: must be i/n", []string{"drill", "crash", "--operator", "handwired", "--shard", "5/4"}},
		{"--shard: must be i/n", []string{"drill", "crash", "--operator", "handwired", "--shard", "half"}},
		{"--shard: must be i/n", []string{"drill", "crash", "--operator", "handwired", "--shard", "1/1x"}},
		{"--shard, --point: give only one of them",
			[]string{"drill", "crash", "--operator", "handwired", "--shard", "1/1", "--point", "scale: POST pods #1, after"}},
		{"--point: ", []string{"drill", "crash", "--operator", "handwired", "--point", "POST pods"}},
		{`--point: point "nostep: POST pods #1, after": there is no step "nostep", only create, scale,`,
			[]string{"drill", "crash", "--operator", "handwired", "--point", "nostep: POST pods #1, after"}},
		{"--html: open /nonexistent/x.html: no such file or directory; name a file",
			[]string{"drill", "crash", "--operator", "handwired", "--html", "/nonexistent/x.html"}},
		{"--html: open " + i.state + ": is a directory; name a file",
			[]string{"drill", "crash", "--operator", "handwired", "--html", i.state}},
		{"--operator: handwired is named twice", []string{"drill", "crash", "--operator", "handwired,handwired"}},
		{`invalid argument "-1" for "--seed" flag`, []string{"drill", "crash", "--operator", "handwired", "--seed", "-1"}},
		{`invalid argument "lucky" for "--seed" flag`, []string{"drill", "crash", "--operator", "handwired", "--seed", "lucky"}},
		{"--operator: the file describes the operator already", []string{"drill", "crash", "--operator", "handwired", "--config", described(t, "", "")}},
	} {
		i.mustFail(t, exitCannotRun, test.want, test.args...)
	}
	i.requireNothingLeft(t)
}

func TestDrillBadOptions(t *testing.T) {
	mine := described(t, "", "")
	noProgram := described(t, "[twinloop-no-such-program", "[./missing")
	noManifest := described(t, "name: mine", "name: mine\n  manifests: [crd.yaml]")
	binary := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(binary, []byte("\x7fELF\x02\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	everywhere := described(t, `[twinloop-no-such-program, "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"]`,
		"[\"true\", \"{{kubeconfig}}\"]\n  clusterWide: true")
	noKind := described(t, `command: [twinloop-no-such-program, "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"]
observe: [pods]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod,`, `command: ["true", "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}"]
  manifests: [crds]
observe: [pods]
scenario:
- name: create
  apply: {apiVersion: example.com/v1, kind: Wbe,`)
	crds := filepath.Join(filepath.Dir(noKind), "crds")
	err := os.Mkdir(crds, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(crds, "webs.yaml"), []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"+
			"metadata: {name: webs.example.com}\nspec: {group: example.com, names: {kind: Web}}\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	noOperator := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(noOperator, []byte("name: small\nlike: crash\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(points ...string) drillOptions {
		return drillOptions{operators: []string{"handwired"}, output: "table", points: points}
	}
	of := func(file string) drillOptions { return drillOptions{config: file, output: "table"} }
	for _, test := range []struct {
		want, name string
		options    drillOptions
	}{
		{`--output: must be one of table, json, yaml, junit, not "JSON"`, "crash", drillOptions{operators: []string{"handwired"}, output: "JSON"}},
		{`--output: must be one of table, json, yaml, junit, not ""`, "crash", drillOptions{operators: []string{"handwired"}}},
		{"--point: is a point of one drill: name that", "all", with("scale: POST pods #1, after")},
		{`--point: point "sigkill": this drill has no cases: name a step and what is done there: before, after`, "crash", with("sigkill")},
		{`--point: point "create: POST pods #1, cut": what this drill does is before, after`, "crash", with("create: POST pods #1, cut")},
		{`--point: point "create: POST pods #1, after": what this drill does is silence`, "quiet", with("create, silence", "create: POST pods #1, after")},
		{`--point: point "sigkill": the case has 10 runs: "sigkill #1" to "sigkill #10"`, "failover", with("sigkill")},
		{`--point: point "three": there is no such case, only two, one, two-with-lease`, "fight", with("three")},
		{"--operator: the file describes the operator already", "crash", drillOptions{operators: []string{"handwired"}, config: mine}},
		{"drill file: open missing.yaml: no such file or directory", "crash", of("missing.yaml")},
		{mine + ": cases: those of the drill stale are about a Fleet", "stale", of(mine)},
		{mine + ": cases: those of the drill failover are about a Fleet", "all", of(mine)},
		{mine + `: operator.command: exec: "twinloop-no-such-program": executable file not found in $PATH`, "crash", of(mine)},
		{noProgram + `: operator.command: exec: "` + filepath.Join(filepath.Dir(noProgram), "missing") + `": stat `, "crash", of(noProgram)},
		{noManifest + ": operator.manifests: " + filepath.Join(filepath.Dir(noManifest), "crd.yaml") + ": ", "crash", of(noManifest)},
		{"--lanes: leave it out: the operator is clusterWide", "crash", drillOptions{config: everywhere, output: "table", lanes: 2}},
		{binary + ": it is no valid YAML: control characters are not allowed", "crash", of(binary)},
		{noKind + `: scenario[0].apply.kind: there is no kind "Wbe" of group example.com, only Web`, "crash", of(noKind)},
		{noOperator + ": operator: say how to start it: give at least name and command", "crash", of(noOperator)},
	} {
		_, err := test.options.parse(test.name)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("drill %s, %+v: got %v, want one line that begins with %q", test.name, test.options, err, test.want)
		}
	}
}

func TestDrillOptions(t *testing.T) {
	work, err := drillOptions{operators: []string{"handwired"}, output: "yaml", seed: 7, shard: "2/3"}.parse("all")
	if err != nil {
		t.Fatal(err)
	}
	if o := work.options; o.Seed != 7 || o.Shard != 2 || o.Shards != 3 || len(o.Points) > 0 {
		t.Errorf("seed %d, shard %d of %d, points %v", o.Seed, o.Shard, o.Shards, o.Points)
	}
	if len(work.definitions) != len(drill.Names()) || !work.several() {
		t.Errorf("all drills are %d", len(work.definitions))
	}
	work, err = drillOptions{operators: []string{"handwired"}, output: "table", points: []string{"sigkill #2", "sigterm #1"}}.parse("failover")
	if err != nil {
		t.Fatal(err)
	}
	if points := work.options.Points; len(points) != 2 || points[0].String() != "sigkill #2" || work.several() {
		t.Errorf("points %v", points)
	}
}
