package docs_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"example.com/twinloop/shared/controlplane/programs"
)

const (
	runbook = "runbook-controller-debugging.md"
	skill   = "skills/controller-debugging/SKILL.md"
	prompt  = "prompt-explain-rollout.md"
)

// asHelp has kubectl parse its arguments and do nothing: it refuses an unknown flag before it heeds --help.
const asHelp = `kubectl() { "$KUBECTL" "$@" --help; }; `

func TestKubectlKnowsTheFlags(t *testing.T) {
	set, err := programs.Ensure(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(commands(t, runbook), commands(t, skill), commands(t, prompt))
	slices.Sort(all)
	for _, command := range slices.Compact(all) {
		shell := exec.CommandContext(t.Context(), "sh", "-c", asHelp+command)
		shell.Dir = t.TempDir() // some write a file
		shell.Env = append(os.Environ(), "KUBECTL="+set.Path("kubectl"))
		if output, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v: %s", command, err, output)
		}
	}
}

// The skill is installed alone, so it has to repeat the runbook's commands; they must not drift apart.
func TestSkillAndRunbookHaveTheSameCommands(t *testing.T) {
	known := commands(t, runbook)
	for _, command := range commands(t, skill) {
		if !slices.Contains(known, command) {
			t.Errorf("%s has a command that %s has not: %s", skill, runbook, command)
		}
	}
}

var (
	fenced = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	line   = regexp.MustCompile(`(?m)^ *((?:[A-Z]+=\$\()?kubectl .*)$`)
	inline = regexp.MustCompile("`(kubectl -n [^`]+)`")
)

// commands are the page's kubectl commands: first those in its blocks, then those in its text.
func commands(t *testing.T, page string) []string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range fenced.FindAllStringSubmatch(string(content), -1) {
		for _, match := range line.FindAllStringSubmatch(block[1], -1) {
			found = append(found, match[1])
		}
	}
	for _, match := range inline.FindAllStringSubmatch(string(content), -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	return found
}
