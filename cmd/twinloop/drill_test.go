package main

import (
	"encoding/json"
	"strings"
	"testing"
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

// TestDrillWithoutInjection is an error, not a pass.
func TestDrillWithoutInjection(t *testing.T) {
	i := newInstallation(t)
	output, status := i.run("drill", "crash", "--operator", "handwired", "--point", "scale: POST pods #99, after")
	if status != exitCannotRun || !strings.Contains(output, "error: no fault was injected") {
		t.Errorf("status %d, want %d and a line that says so:\n%s", status, exitCannotRun, output)
	}
	i.requireNothingLeft(t)
}

func TestDrillBadUsage(t *testing.T) {
	i := newInstallation(t)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"name the drill: one of crash", []string{"drill"}},
		{`unknown drill "crsh": choose one of crash`, []string{"drill", "crsh", "--operator", "handwired"}},
		{"no such file", []string{"drill", "missing.yaml", "--operator", "handwired"}},
		{"--operator: name one of handwired", []string{"drill", "crash"}},
		{`--operator: unknown operator "other": choose one of handwired`, []string{"drill", "crash", "--operator", "other"}},
		{"--lanes: must be at least 1", []string{"drill", "crash", "--operator", "handwired", "--lanes", "0"}},
		{"--output: must be table or json", []string{"drill", "crash", "--operator", "handwired", "-o", "xml"}},
		{"--shard: must be i/n", []string{"drill", "crash", "--operator", "handwired", "--shard", "5/4"}},
		{"--shard: must be i/n", []string{"drill", "crash", "--operator", "handwired", "--shard", "half"}},
		{"--point: ", []string{"drill", "crash", "--operator", "handwired", "--point", "POST pods"}},
	} {
		i.mustFail(t, exitCannotRun, test.want, test.args...)
	}
	i.requireNothingLeft(t)
}
