package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/twinloop/shared/operator"
)

const (
	fleetCRDs   = "../../shared/api/crd"
	fleetSample = "../../shared/api/samples/web.yaml"
)

// TestDrillInit has a file written, says in it how the operator is started and what it makes beside pods, and drills it:
// nothing else is needed.
func TestDrillInit(t *testing.T) {
	i := newInstallation(t)
	folder := t.TempDir()
	known, err := operator.Find("handwired")
	if err == nil {
		err = known.Build(t.Context(), filepath.Join(folder, "fleet-operator"))
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "drill.yaml")
	i.mustSay(t, "wrote "+file+": say under operator how yours is started",
		"drill", "init", "--crd", fleetCRDs, "--sample", fleetSample, "--output", file)
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.NewReplacer(
		"  # alone: [--leader-elect=false]\n", "  alone: [--leader-elect=false, --metrics-bind-address=0, --health-probe-bind-address=0]\n",
		"\n- pods\n", "\n- pods\n- controllerrevisions.apps\n",
		"pods.size() == 0", "pods.size() == 0 && controllerrevisions.size() == 0",
	).Replace(string(written))
	if err := os.WriteFile(file, []byte(ours), 0o600); err != nil {
		t.Fatal(err)
	}
	points := []string{"create: POST pods #1, after", "scale: POST pods #2, before", "scale: PUT fleets/status #1, after"}
	args := []string{"drill", "crash", "--config", file, "-o", "json"}
	for _, point := range points {
		args = append(args, "--point", point)
	}
	cmd := i.command(args...)
	cmd.Stderr = t.Output()
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("exit status: %v\n%s", err, output)
	}
	var report struct {
		Summary struct {
			Operator         string
			Injected, Passed int
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("the report is no JSON: %v\n%s", err, output)
	}
	if s := report.Summary; s.Operator != "fleet-operator" || s.Injected != len(points) || s.Passed != len(points) {
		t.Errorf("summary %+v", s)
	}
	i.requireNothingLeft(t)
}

// TestDrillInitPaths are from the folder that the file is in; of a folder for kustomize it is the folder's.
func TestDrillInitPaths(t *testing.T) {
	i := newInstallation(t)
	crds, err := filepath.Abs(fleetCRDs)
	if err != nil {
		t.Fatal(err)
	}
	const name = "fleet.twinloop.example.com_fleets.yaml"
	folder := filepath.Join(t.TempDir(), "kustomized")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(crds, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "crd.yaml"), content, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte("resources: [crd.yaml]\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	licensed := filepath.Join(filepath.Dir(folder), "licensed.yaml")
	if err := os.WriteFile(licensed, append([]byte("# A licence.\n---\n"), content...), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	fromHere, err := filepath.Rel(here, folder)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(folder), "drill.yaml")
	for _, test := range []struct{ want, crd, output string }{
		{fleetCRDs + "/" + name, fleetCRDs, ""},
		{crds + "/" + name, crds, ""},
		{licensed, licensed, ""},
		{"kustomized", fromHere, file},
	} {
		sketch := i.mustSay(t, "", "drill", "init", "--crd", test.crd, "--sample", fleetSample, "--output", test.output)
		if test.output != "" {
			written, err := os.ReadFile(test.output)
			if err != nil {
				t.Fatal(err)
			}
			sketch = string(written)
		}
		if want := "\n  manifests:\n  - " + test.want + "\n"; !strings.Contains(sketch, want) {
			t.Errorf("--crd %s: there is no %q in:\n%s", test.crd, want, sketch)
		}
	}
}

func TestDrillInitBadUsage(t *testing.T) {
	i := newInstallation(t)
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	object := func(metadata string) string {
		return "apiVersion: fleet.twinloop.example.com/v1alpha1\nkind: Fleet\nmetadata: " + metadata + "\n"
	}
	earlier := write("earlier.yaml", "mine")
	for _, test := range []struct{ want, crd, sample, output string }{
		{"--crd: name the file with the CustomResourceDefinition", "", fleetSample, ""},
		{"--crd: stat /nonexistent: no such file or directory", "/nonexistent", fleetSample, ""},
		{"--crd: " + fleetSample + " holds no CustomResourceDefinition", fleetSample, fleetSample, ""},
		{"--crd: ../../shared/fleet holds no CustomResourceDefinition", "../../shared/fleet", fleetSample, ""},
		{"--crd: " + folder + "/broken.yaml: it is no valid YAML: did not find expected node content", write("broken.yaml", "kind: [}"), fleetSample, ""},
		{"--crd: " + folder + "/binary: it is no valid YAML: control characters", write("binary", "\x7fELF\x02\x00"), fleetSample, ""},
		{"--sample: name a file with an object", fleetCRDs, "", ""},
		{"--sample: open /nonexistent: no such file or directory", fleetCRDs, "/nonexistent", ""},
		{"--sample: " + folder + "/broken.yaml: ", fleetCRDs, folder + "/broken.yaml", ""},
		{"--sample: " + folder + "/text.yaml: no object of Kubernetes: ", fleetCRDs, write("text.yaml", "tea"), ""},
		{"--sample: " + folder + "/empty.yaml holds 0 objects: name a file with one", fleetCRDs, write("empty.yaml", "# none\n"), ""},
		{"--sample: " + folder + "/two.yaml holds 2 objects: name a file with one",
			fleetCRDs, write("two.yaml", "---\n"+object("{name: a}")+"---\n"+object("{name: b}")), ""},
		{"--sample: " + folder + "/nameless.yaml: metadata.name: give the object one", fleetCRDs, write("nameless.yaml", object("{}")), ""},
		{"--crd, --sample: the sample is a CustomResourceDefinition.apiextensions.k8s.io, and what is defined is Fleet.fleet.twinloop",
			fleetCRDs, fleetCRDs + "/fleet.twinloop.example.com_fleets.yaml", ""},
		{"--output: " + earlier + " is there already: name another file, or remove it", fleetCRDs, fleetSample, earlier},
		{"--output: open /nonexistent/drill.yaml: no such file or directory", fleetCRDs, fleetSample, "/nonexistent/drill.yaml"},
	} {
		i.mustFail(t, exitCannotRun, test.want, "drill", "init", "--crd", test.crd, "--sample", test.sample, "--output", test.output)
	}
	if content, err := os.ReadFile(earlier); err != nil || string(content) != "mine" {
		t.Errorf("what was there is now %q, %v", content, err)
	}
	i.mustFail(t, exitCannotRun, `unknown command "crash" for "twinloop drill init"`, "drill", "init", "crash")
}
