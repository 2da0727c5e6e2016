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
		if _, err := os.Stat(strings.Replace(page, "x", "x-"+operator, 1)); err != nil {
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
		{drill.Reports{passed, failed}, exitFinding, "b failed at 1 of 3 points"},
		{drill.Reports{failed, missed}, exitCannotRun, "c: no fault was injected"},
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
	o := drillOptions{operators: []string{"o"}, output: "table", html: full}
	if err := o.checkPages(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	err := o.print(drill.Reports{{Summary: drill.Summary{Operator: "o", Drill: "d", Seconds: 1}}}, &printed)
	if err == nil || !strings.HasPrefix(err.Error(), "--html: ") || !strings.Contains(printed.String(), "o, d: 0 points") {
		t.Errorf("got %v, and printed %q", err, printed.String())
	}
}

// TestCheckPagesChangesNothing neither a file that is there nor that there is none.
func TestCheckPagesChangesNothing(t *testing.T) {
	o := drillOptions{operators: []string{"a", "b"}, html: filepath.Join(t.TempDir(), "x.html")}
	if err := os.WriteFile(o.page("a"), []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.checkPages(); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(o.page("a")); err != nil || string(content) != "earlier" {
		t.Errorf("the page of a is %q, %v", content, err)
	}
	if _, err := os.Stat(o.page("b")); !os.IsNotExist(err) {
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

func TestDrillBadUsage(t *testing.T) {
	i := newInstallation(t)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"name the drill: one of crash", []string{"drill"}},
		{`unknown drill "crsh": choose one of crash, errors`, []string{"drill", "crsh", "--operator", "handwired"}},
		{"drill file: open missing.yaml: no such file", []string{"drill", "missing.yaml", "--operator", "handwired"}},
		{"--operator: name one of handwired", []string{"drill", "crash"}},
		{`--operator: unknown operator "other": choose one of handwired`, []string{"drill", "crash", "--operator", "other"}},
		{"--lanes: must be at least 1", []string{"drill", "crash", "--operator", "handwired", "--lanes", "0"}},
		{"--output: must be table or json", []string{"drill", "crash", "--operator", "handwired", "-o", "xml"}},
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
	} {
		i.mustFail(t, exitCannotRun, test.want, test.args...)
	}
	i.requireNothingLeft(t)
}
