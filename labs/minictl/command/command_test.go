package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func execute(stdin string, args ...string) (string, error) {
	cmd := New()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestBadInputIsOneLineThatNamesTheMend(t *testing.T) {
	for command, want := range map[string]string{
		"run rollling":                         `no scenario "rollling"; did you mean rolling?`,
		"run xyzzyxyzzy":                       `no scenario "xyzzyxyzzy"; 'minictl list' lists them`,
		"run":                                  "give one scenario, not 0",
		"run rolling --replicas -1":            "--replicas: must be a number from 0 to 1000, not -1",
		"run rolling --ticks -5":               "--ticks: must be a number from 1",
		"run rolling --surge 0":                "--surge and --unavailable: must not both be 0",
		"run rolling --surge 25x":              `--surge: must be a number or a percentage, such as 1 or 25%, but is "25x"`,
		"run rolling --surge -1":               `--surge: must not be negative, but is "-1"`,
		"run rolling --unavailable 101%":       `--unavailable: must not be greater than 100%, but is "101%"`,
		"run rolling --ready-after 0":          "--ready-after: must be a number from 1 to ",
		"run rolling --min-ready-seconds 600":  "--min-ready-seconds: must be a number from 0 to 599, not 600",
		"run rolling --recreate --surge 5":     "--recreate: leaves nothing for --surge and --unavailable to bound; leave it out, or them",
		"run rolling --unavailable=":           `--unavailable: must be a number or a percentage`,
		"run gc --surge 2":                     "--surge: gc does not use it; it uses --replicas, --ready-after, --seed, --ticks",
		"run rolling --svg /nowhere/there.svg": "--svg: open /nowhere/there.svg",
		"run rolling --svg -":                  "--svg: must be the name of a file, not -",
		"run rolling --ticks 5":                "--ticks: 5 were not enough: the end of the rollout is yet to come; give more",
		"run rolling --replicas many":          "invalid argument",
		"run quarantine --replicas 0":          "--replicas: must be at least 1 for this scenario",
		"run missed-events --replicas 1":       "--replicas: must be at least 2 for this scenario",
		"select a,,b":                          `selector "a,,b": position 3: `,
		"select a --file /nowhere.json":        "--file: open /nowhere.json",
		"select a":                             "--file -: must be one object, such as a Pod or a List",
		"select":                               "give one selector, not 0",
		"walk":                                 `unknown command "walk"`,
	} {
		_, err := execute("[]", strings.Fields(command)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", command, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", command, err)
		}
	}
}

func TestListNamesEveryScenario(t *testing.T) {
	out, err := execute("", "list")
	if err != nil || strings.Count(out, "\n") != 15 || !strings.Contains(out, "rolling ") {
		t.Errorf("got %q and %v", out, err)
	}
}

func TestRunAsJSON(t *testing.T) {
	out, err := execute("", "run", "rolling", "--replicas", "4", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scenario string
		Flags    map[string]any
		Log      []struct {
			Tick                            int
			Source, Object, Reason, Message string
		}
		Summary struct {
			MaxPods   int   `json:"max_pods"`
			Revisions []int `json:"revisions"`
		}
		Controllers []struct {
			Name               string
			Events, Reconciles int
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Scenario != "rolling" || got.Flags["replicas"] != 4.0 || got.Flags["surge"] != 1.0 ||
		len(got.Log) == 0 || got.Summary.MaxPods != 5 ||
		len(got.Summary.Revisions) != 2 || len(got.Controllers) != 2 || got.Controllers[1].Reconciles == 0 {
		t.Errorf("got %+v", got)
	}
}

func TestARunThatFailsSaysSoInTheJSON(t *testing.T) {
	out, err := execute("", "run", "rolling", "--ready-after", "500", "--json")
	if err == nil || !strings.Contains(out, `"error": "`+err.Error()) {
		t.Errorf("got %v, which is not in %s", err, out)
	}
}

func TestRunPrintsAndDraws(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rolling.svg")
	out, err := execute("", "run", "rolling", "--svg", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"t=005 deployment-controller Deployment/default/web ", "\nmax_pods: 4\nmin_ready: 3\n", "\nrevisions: [1, 2]\n",
		"\nreplicaset-controller: 52 events -> 25 reconciles\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if drawn, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(drawn, []byte("<svg ")) {
		t.Errorf("got %.20q and %v", drawn, err)
	}
}

func TestRecreateFlag(t *testing.T) {
	out, err := execute("", "run", "rolling", "--recreate")
	if err != nil || !strings.Contains(out, "\nmin_ready: 0\n") {
		t.Errorf("error %v, and the output lacks a min_ready of 0:\n%s", err, out)
	}
}

func TestSelectPrintsNames(t *testing.T) {
	pods := `{"kind": "List", "items": [
		{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "labels": {"app": "web"}}}]}`
	file := filepath.Join(t.TempDir(), "pods.json")
	if err := os.WriteFile(file, []byte(pods), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"select", "app=web"}, {"select", "app=web", "--file", "-"}, {"select", "app=web", "--file", file},
	} {
		if out, err := execute(pods, args...); err != nil || out != "pod/web-1\n" {
			t.Errorf("%v: got %q and %v", args, out, err)
		}
	}
}
