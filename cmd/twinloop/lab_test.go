package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

// classroom is two labs, one of each kind, and a state folder of its own.
type classroom struct {
	*testing.T
	labs []lab.Lab
}

func newClassroom(t *testing.T) classroom {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return classroom{t, []lab.Lab{
		{
			Number: 6, Name: "count", Title: "Count", Needs: lab.Nothing, Minutes: 5, Page: "# 6. Count\n\n## Observe\n\nIt is 1.\n",
			Questions: []lab.Question{
				{Name: "reconciles", Text: "How many?", Answer: lab.Number{}},
				{Name: "order", Text: "Which?", Answer: lab.Ordering{"left", "right"}},
			},
			Run: func(ctx context.Context, bench *lab.Bench) error {
				bench.Say("counting")
				bench.Measure("reconciles", 1)
				bench.Measure("order", []string{"right", "left"})
				return ctx.Err()
			},
		},
		{
			Number: 15, Name: "make", Title: "Make", Needs: lab.ControlPlane, Minutes: 60, Page: "# 15. Make\n",
			Run:   func(context.Context, *lab.Bench) error { return nil },
			Start: fstest.MapFS{"loop/loop.txt": {Data: []byte("todo\n")}},
			Check: func(_ context.Context, folder string, _ *lab.Bench) error {
				if content, err := os.ReadFile(filepath.Join(folder, "loop", "loop.txt")); err != nil || string(content) == "todo\n" {
					return errors.Join(errors.New("nothing was made"), err)
				}
				return nil
			},
		},
	}}
}

// enter is what a command prints, and the exit status that its error means.
func (c classroom) enter(ctx context.Context, input string, args ...string) (string, int) {
	c.Helper()
	cmd := newLabCommand(c.labs)
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetIn(strings.NewReader(input))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		out.WriteString("error: " + err.Error() + "\n")
	}
	return out.String(), report(err, ctx.Err() != nil)
}

// step is a command, its exit status, and a pattern for what it prints.
type step struct {
	command, input string
	status         int
	prints         string
}

func (c classroom) require(steps ...step) {
	c.Helper()
	for _, s := range steps {
		printed, status := c.enter(c.Context(), s.input, strings.Fields(s.command)...)
		if status != s.status || !regexp.MustCompile(s.prints).MatchString(printed) {
			c.Errorf("lab %s: exit status %d, want %d and %q:\n%s", s.command, status, s.status, s.prints, printed)
		}
	}
}

func TestLabIsPredictedRunAndChecked(t *testing.T) {
	newClassroom(t).require(
		step{"list", "", 0, `6 +count +Count +nothing +5 +—\n15 +make`},
		step{"show 06", "", 0, `^# 6. Count\nWhat there is to observe, and why, follows once you ran it: twinloop lab run 6\. Or --all, now\.\n$`},
		step{"show 6 --all", "", 0, `It is 1\.\n$`},
		step{"check 6", "", 1, `was not run`},
		step{"predict 6", "1\nleft, right\n", 0, `How many\?(.|\n)*  b  right(.|\n)*Predictions kept: 2\.`},
		step{"list", "", 0, `predicted 2 of 2`},
		step{"run 6", "", 0, `counting\n(.|\n)*reconciles +1 +1 +right\norder +left, right +right, left +wrong\n\n1 of 2 predictions`},
		step{"list", "", 0, `nothing +5 +run\n`},
		step{"show 6", "", 0, `It is 1\.\n$`},
		step{"check count", "", 1, `order: you said "left, right", and it is "right, left"`},
		step{"list -o yaml", "", 0, `stage: check failed`},
		step{"predict 6", "\nb a\n", 0, `you said 1(.|\n)*Predictions kept: 1, and marked`},
		step{"run 06-count", "", 0, `reconciles +1 +1 +right\norder +right, left +right, left +right, predicted after a run\n`},
		step{"check 6", "", 0, `holds up`},
		step{"list -o json", "", 0, `"stage": "checked"`},
		step{"reset 6", "", 2, `say --yes`},
		step{"reset 6 --yes", "", 0, `Forgot the progress in lab 6`},
		step{"list", "", 0, `nothing +5 +—\n`},
	)
}

func TestPredictKeepsWhatItCan(t *testing.T) {
	newClassroom(t).require(
		step{"predict 6", "1\n", 0, `input ended at question 2 of 2(.|\n)*Predictions kept: 1\.`},
		step{"predict 6", "\nup, down\n", 2, `error: order: "up, down" does not name every option once`},
		step{"list", "", 0, `predicted 1 of 2`},
		step{"predict 6 --answer order=b,a --answer reconciles=many", "", 2, `--answer reconciles=many: "many" is not a number`},
		step{"predict 6 --answer gaps=1", "", 2, `no question "gaps": name one of reconciles, order`},
		step{"predict 6 --answer order", "", 2, `NAME=VALUE`},
		step{"list", "", 0, `predicted 1 of 2`}, // none of several where one is bad
		step{"predict 6 --answer order=b,a", "", 0, `^Predictions kept: 1\.\n$`},
		step{"list", "", 0, `predicted 2 of 2`},
		step{"predict 15", "", 2, `asks no questions`},
	)
}

func TestLabIsMade(t *testing.T) {
	c := newClassroom(t)
	t.Chdir(t.TempDir())
	c.require(
		step{"check make", "", 2, `was not started`},
		step{"start 6", "", 2, `nothing is made in lab 6`},
		step{"start 15", "", 0, `Work in .*/15-make\.`},
		step{"start 15", "", 2, `is there already`},
		step{"check 15", "", 1, `lab 15 does not hold up yet: nothing was made`},
	)
	if err := os.WriteFile("15-make/loop/loop.txt", []byte("made\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.require(
		step{"check 15", "", 0, `holds up`},
		step{"check 15 --folder elsewhere", "", 1, `nothing was made`},
		step{"check 6 --folder x", "", 2, `--folder: nothing is made in lab 6`},
		step{"list", "", 0, `check failed`},
		step{"reset --yes", "", 0, `all labs`},
		step{"check 15", "", 2, `was not started`},
	)
	if _, err := os.Stat("15-make/loop/loop.txt"); err != nil {
		t.Errorf("reset took the learner's work: %v", err)
	}
}

func TestLabIsNamed(t *testing.T) {
	newClassroom(t).require(
		step{"run", "", 2, `name one lab`},
		step{"run 7", "", 2, `no lab "7": name one of 6 \(count\), 15 \(make\)`},
		step{"run cuont", "", 2, `did you mean count\?`},
		step{"list -o xml", "", 2, `-o must be table, json or yaml`},
	)
}

// A run that was interrupted leaves no trace, and can be repeated.
func TestRunIsInterrupted(t *testing.T) {
	c := newClassroom(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if printed, status := c.enter(ctx, "", "run", "6"); status != exitInterrupted {
		t.Errorf("exit status %d, want %d:\n%s", status, exitInterrupted, printed)
	}
	if printed, status := c.enter(ctx, "", "check", "15", "--folder", "x"); status != exitInterrupted {
		t.Errorf("check: exit status %d, want %d:\n%s", status, exitInterrupted, printed)
	}
	c.require(step{"list", "", 0, `nothing +5 +—\n15 +make +Make +control plane +60 +—\n`}, step{"run 6", "", 0, `counting`})
}

func TestDamagedProgress(t *testing.T) {
	c := newClassroom(t)
	path := filepath.Join(os.Getenv("XDG_STATE_HOME"), "twinloop", "labs.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("labs: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"list", "run 6", "predict 6", "check 6", "reset 6 --yes"} {
		c.require(step{command, "1\n", 2, `^error: ` + regexp.QuoteMeta(path) + ` is damaged: .*\n$`})
	}
	c.require(step{"reset --yes", "", 0, `all labs`}, step{"list", "", 0, `—`})
}

// At a terminal, a learner who mistypes is asked again.
func TestPredictAsksAgain(t *testing.T) {
	c := newClassroom(t)
	file, _, err := readRecord(c.labs[0])
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := linesOf(strings.NewReader("one\n1\nb a\n"))
	i := &interview{lab: c.labs[0], file: file, lines: lines, out: &out, err: &out, patient: true}
	err = i.ask(t.Context(), progress.Record{})
	if err != nil || i.kept != 2 || !strings.Contains(out.String(), `"one" is not a number`) {
		t.Errorf("%v; %d kept:\n%s", err, i.kept, &out)
	}
}

// What does not fit into a table follows below it.
func TestLongMeasurements(t *testing.T) {
	long := strings.Repeat("one, two, ", 5) + "three"
	var out strings.Builder
	err := printComparison(&out, []lab.Comparison{
		{Measurement: lab.Measurement{Name: "order", Value: long}, Predicted: "three", Verdict: lab.Wrong},
		{Measurement: lab.Measurement{Name: "count", Value: "1"}, Predicted: "1", Verdict: lab.Right},
		{Measurement: lab.Measurement{Name: "unasked", Value: long}, Predicted: string(lab.Unpredicted), Verdict: lab.Unpredicted},
	})
	want := "\nMEASUREMENT   PREDICTED   MEASURED   VERDICT\ncount         1           1          right\n" +
		"\norder: wrong\n  predicted   three\n  measured    " + long + "\n\nunasked\n  measured    " + long +
		"\n\n1 of 2 predictions were right.\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}
