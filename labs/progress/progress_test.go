package progress

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/twinloop/labs/lab"
)

var (
	now    = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	number = lab.Lab{Number: 6, Name: "x", Questions: []lab.Question{
		{Name: "one", Answer: lab.Number{}}, {Name: "two", Answer: lab.Number{}},
	}}
	measured = []lab.Measurement{{Name: "one", Value: "1"}, {Name: "two", Value: "2"}}
)

func TestWhatIsPredictedAfterARunIsMarked(t *testing.T) {
	var r Record
	r.Predict("one", "1", now)
	r.Runs = append(r.Runs, Run{At: now})
	r.Predict("two", "2", now)
	want := map[string]lab.Prediction{"one": {Answer: "1", At: now}, "two": {Answer: "2", At: now, AfterRun: true}}
	if difference := cmp.Diff(want, r.Predictions); difference != "" {
		t.Error(difference)
	}
	if r.Predict("one", "1", now); !r.Predictions["one"].AfterRun {
		t.Error("an answer that was given again after the run is not marked")
	}
}

func TestStageAndUnsettled(t *testing.T) {
	one := map[string]lab.Prediction{"one": {Answer: "1"}}
	both := map[string]lab.Prediction{"one": {Answer: "1"}, "two": {Answer: "2"}}
	wrong := map[string]lab.Prediction{"one": {Answer: "1"}, "two": {Answer: "3"}, "of another version": {Answer: "1"}}
	ran := []Run{{At: now, Measured: measured}}
	for _, test := range []struct {
		name   string
		record Record
		stage  string
		left   []string
	}{
		{"nothing", Record{}, "", []string{"it was not run to its end"}},
		{"predicted", Record{Predictions: one}, "predicted 1 of 2", []string{"it was not run to its end"}},
		{"run", Record{Predictions: one, Runs: ran}, "run", []string{"two was not predicted"}},
		{"wrong", Record{Predictions: wrong, Runs: ran}, "run", []string{`two: you said "3", and it is "2"`}},
		{"right", Record{Predictions: both, Runs: ran}, "run", nil},
		{"started", Record{Folder: "/x"}, "started", []string{"it was not run to its end"}},
		{"checked", Record{Predictions: both, Runs: ran, Checks: []Check{{now, "no"}, {now, ""}}}, "checked", nil},
		{"failed", Record{Predictions: both, Runs: ran, Checks: []Check{{now, ""}, {now, "no"}}}, "check failed", nil},
		{"run again", Record{Predictions: both, Runs: ran, Checks: []Check{{now.Add(-time.Hour), "no"}}}, "run", nil},
		{"predicted again", Record{
			Predictions: map[string]lab.Prediction{"one": {Answer: "1", At: now}}, Checks: []Check{{now.Add(-time.Hour), "no"}},
		}, "predicted 1 of 2", []string{"it was not run to its end"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.record.Stage(number); got != test.stage {
				t.Errorf("stage %q, want %q", got, test.stage)
			}
			if difference := cmp.Diff(test.left, test.record.Unsettled(number)); difference != "" {
				t.Error(difference)
			}
		})
	}
}

func TestFile(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "twinloop", "labs.yaml")}
	if p, err := f.Read(); err != nil || len(p.Labs) != 0 {
		t.Fatalf("a file that is not there holds %v, %v", p, err)
	}
	var updates sync.WaitGroup
	for range 20 {
		updates.Go(func() {
			if err := f.Update("06-x", func(r *Record) { r.Runs = append(r.Runs, Run{now, measured}) }); err != nil {
				t.Error(err)
			}
		})
	}
	updates.Wait()
	if err := f.Update("07-y", func(r *Record) { r.Predict("one", "1", now) }); err != nil {
		t.Fatal(err)
	}
	p, err := f.Read()
	if err != nil || len(p.Labs["06-x"].Runs) != 20 || p.Labs["07-y"].Predictions["one"].Answer != "1" {
		t.Fatalf("%v, %v", p, err)
	}
	if difference := cmp.Diff(measured, p.Labs["06-x"].Runs[0].Measured); difference != "" {
		t.Error(difference)
	}
	if err := f.Forget("06-x"); err != nil {
		t.Fatal(err)
	}
	if p, err := f.Read(); err != nil || len(p.Labs) != 1 {
		t.Errorf("after one lab was forgotten: %v, %v", p, err)
	}
	requireFiles(t, filepath.Dir(f.Path), "labs.yaml", "labs.yaml.lock")
	if err := f.ForgetAll(); err != nil {
		t.Fatal(err)
	}
	if err := f.ForgetAll(); err != nil {
		t.Errorf("nothing cannot be forgotten: %v", err)
	}
}

func requireFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

// A damaged file is left as it is, until all of it is forgotten.
func TestDamagedFile(t *testing.T) {
	for _, content := range []string{"labs: [", "labs: 7\n", "labs:\n  06-x: {predictoins: {}}\n", "\x00"} {
		f := File{filepath.Join(t.TempDir(), "labs.yaml")}
		if err := os.WriteFile(f.Path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := f.Update("06-x", func(*Record) { t.Error("a damaged file is changed") })
		if err == nil || !strings.Contains(err.Error(), f.Path) || !strings.Contains(err.Error(), "twinloop lab reset") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", content, err)
		}
		if kept, err := os.ReadFile(f.Path); err != nil || string(kept) != content {
			t.Errorf("%q became %q, %v", content, kept, err)
		}
		if err := f.ForgetAll(); err != nil {
			t.Error(err)
		}
		if _, err := f.Read(); err != nil {
			t.Errorf("after the reset: %v", err)
		}
	}
}

func TestDefault(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for set, want := range map[string]string{
		state: filepath.Join(state, "twinloop", "labs.yaml"), "": filepath.Join(home, ".local", "state", "twinloop", "labs.yaml"),
		"relative": filepath.Join(home, ".local", "state", "twinloop", "labs.yaml"),
	} {
		t.Setenv("XDG_STATE_HOME", set)
		if f, err := Default(); err != nil || f.Path != want {
			t.Errorf("XDG_STATE_HOME=%s: %s, %v; want %s", set, f.Path, err, want)
		}
	}
}
