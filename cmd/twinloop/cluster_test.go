package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/shared/controlplane/cluster"
)

func TestClusterLife(t *testing.T) {
	twinloop := newInstallation(t)
	twinloop.mustSay(t, "No clusters", "cluster", "status")
	twinloop.mustSay(t, `Cluster "default" is up after`, "cluster", "up", "--ready-after", "0s")
	twinloop.mustSay(t, `Cluster "default" was already up`, "cluster", "up")
	twinloop.mustSay(t, "Stop it with: "+executable+" cluster down\n", "cluster", "up")
	twinloop.mustSay(t, `Cluster "second" is up after`, "cluster", "up", "--name", "second")
	twinloop.mustSay(t, executable+" cluster down --name second\n", "cluster", "up", "--name", "second")

	table := twinloop.mustSay(t, "NAME", "cluster", "status")
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 3 || !strings.Contains(lines[2], "Running") {
		t.Errorf("status says:\n%s", table)
	}
	var fromJSON, fromYAML []cluster.Info
	if err := json.Unmarshal([]byte(twinloop.mustSay(t, "[", "cluster", "status", "-o", "json")), &fromJSON); err != nil {
		t.Error(err)
	}
	if err := yaml.Unmarshal([]byte(twinloop.mustSay(t, "-", "cluster", "status", "-o", "yaml")), &fromYAML); err != nil {
		t.Error(err)
	}
	if len(fromJSON) != 2 || len(fromYAML) != 2 || fromJSON[0] != fromYAML[0] || fromJSON[0].Name != "default" {
		t.Errorf("JSON and YAML differ: %+v, %+v", fromJSON, fromYAML)
	}

	path := strings.TrimSpace(twinloop.mustSay(t, "kubeconfig", "cluster", "kubeconfig"))
	content, err := os.ReadFile(path)
	if err != nil || twinloop.mustSay(t, "kind: Config", "cluster", "kubeconfig", "--raw") != string(content) {
		t.Errorf("the kubeconfig's path and content differ (%v)", err)
	}
	kubectl := func(args ...string) string {
		output, err := exec.Command(fromJSON[0].Kubectl, append([]string{"--kubeconfig", path}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("kubectl %s: %v: %s", args, err, output)
		}
		return string(output)
	}
	kubectl("create", "deployment", "web", "--image=web:1.0", "--replicas=2")
	kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s")
	if fleets := kubectl("get", "fleets"); !strings.Contains(fleets, "No resources found") {
		t.Errorf("get fleets: %s", fleets)
	}

	twinloop.mustSay(t, `Cluster "default" stopped`, "cluster", "down")
	twinloop.mustSay(t, `Cluster "second" stopped`, "cluster", "down", "--name", "second")
	twinloop.mustSay(t, "No clusters", "cluster", "status")
	twinloop.requireNothingLeft(t)
}

func TestClusterSupervisorKilled(t *testing.T) {
	twinloop := newInstallation(t)
	for _, next := range []string{"up", "down"} {
		twinloop.mustSay(t, "is up after", "cluster", "up")
		var infos []cluster.Info
		if err := json.Unmarshal([]byte(twinloop.mustSay(t, "[", "cluster", "status", "-o", "json")), &infos); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(infos[0].Supervisor, syscall.SIGKILL)
		twinloop.awaitNoProcess(t)
		twinloop.mustSay(t, "Dead", "cluster", "status")
		twinloop.mustFail(t, exitCannotRun, "is not running", "cluster", "kubeconfig")
		twinloop.mustSay(t, "", "cluster", next)
		twinloop.run("cluster", "down")
	}
	twinloop.requireNothingLeft(t)
}

// Ctrl-C, or even SIGKILL, during `up` leaves no cluster.
func TestClusterUpInterrupted(t *testing.T) {
	twinloop := newInstallation(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		up := twinloop.command("cluster", "up")
		if err := up.Start(); err != nil {
			t.Fatal(err)
		}
		twinloop.await(t, "a program", func() bool { return len(twinloop.processes(t)) > 0 })
		_ = up.Process.Signal(sig)
		err := up.Wait()
		var exit *exec.ExitError
		if sig == syscall.SIGINT && (!errors.As(err, &exit) || exit.ExitCode() != exitInterrupted) {
			t.Errorf("after %s: %v", sig, err)
		}
		twinloop.awaitNoProcess(t)
		twinloop.await(t, "an empty folder", func() bool {
			output, _ := twinloop.run("cluster", "status")
			return strings.Contains(output, "No clusters")
		})
	}
}

// TestClusterUpTwiceAtOnce holds the lock that the first of two would hold.
func TestClusterUpTwiceAtOnce(t *testing.T) {
	twinloop := newInstallation(t)
	twinloop.mustSay(t, "No clusters", "cluster", "status")
	lock := flock.New(filepath.Join(twinloop.state, "twinloop", "clusters", ".locks", "default"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	twinloop.mustFail(t, exitCannotRun, "is being started or stopped by another command", "cluster", "up")
}

func TestBadUsage(t *testing.T) {
	twinloop := newInstallation(t)
	for _, test := range []struct {
		want string
		args []string
	}{
		{`unknown command "frobnicate"`, []string{"frobnicate"}},
		{`unknown command "frobnicate" for "twinloop cluster"`, []string{"cluster", "frobnicate"}},
		{"unknown flag: --frobnicate; see 'twinloop cluster up --help'", []string{"cluster", "up", "--frobnicate"}},
		{`"Not_A_Name" is no cluster name: use`, []string{"cluster", "up", "--name", "Not_A_Name"}},
		{"--ready-after must not be negative", []string{"cluster", "up", "--ready-after", "-1s"}},
		{`no cluster "absent"`, []string{"cluster", "down", "--name", "absent"}},
		{`no cluster "absent"`, []string{"cluster", "kubeconfig", "--name", "absent"}},
		{"-o must be table, json or yaml", []string{"cluster", "status", "-o", "xml"}},
	} {
		twinloop.mustFail(t, exitCannotRun, test.want, test.args...)
	}
	homeless := *twinloop
	homeless.env = []string{"HOME=", "XDG_STATE_HOME=", "PATH=" + os.Getenv("PATH")}
	homeless.mustFail(t, exitCannotRun, "set XDG_STATE_HOME or HOME", "cluster", "status")
}

// An installation is the built command with a state folder of its own.
type installation struct {
	executable string
	state      string
	env        []string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	state := t.TempDir()
	i := &installation{executable, state, append(os.Environ(), "XDG_STATE_HOME="+state)}
	t.Cleanup(func() {
		for _, name := range []string{"default", "second"} {
			_, _ = i.run("cluster", "down", "--name", name)
		}
	})
	return i
}

func (i *installation) command(args ...string) *exec.Cmd {
	cmd := exec.Command(i.executable, args...)
	cmd.Env = i.env
	return cmd
}

func (i *installation) run(args ...string) (output string, status int) {
	cmd := i.command(args...)
	content, _ := cmd.CombinedOutput()
	return string(content), cmd.ProcessState.ExitCode()
}

func (i *installation) mustSay(t *testing.T, want string, args ...string) string {
	t.Helper()
	output, status := i.run(args...)
	if status != 0 || !strings.Contains(output, want) {
		t.Fatalf("twinloop %s: status %d, want 0 and %q:\n%s", strings.Join(args, " "), status, want, output)
	}
	return output
}

func (i *installation) mustFail(t *testing.T, wantStatus int, want string, args ...string) {
	t.Helper()
	output, status := i.run(args...)
	oneLine := strings.Count(output, "\n") == 1 && strings.HasPrefix(output, "error: ")
	if status != wantStatus || !strings.Contains(output, want) || !oneLine {
		t.Errorf("twinloop %s: status %d, want %d and one line with %q:\n%s",
			strings.Join(args, " "), status, wantStatus, want, output)
	}
}

// processes lists those that work in a cluster's folder of this installation.
func (i *installation) processes(t *testing.T) []int {
	t.Helper()
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("needs /proc to see processes")
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, i.state) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

func (i *installation) awaitNoProcess(t *testing.T) {
	t.Helper()
	i.await(t, "the end of the programs", func() bool { return len(i.processes(t)) == 0 })
}

func (i *installation) requireNothingLeft(t *testing.T) {
	t.Helper()
	if left := i.processes(t); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	left, err := filepath.Glob(filepath.Join(i.state, "twinloop", "clusters", "[a-z]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("folders left: %v (%v)", left, err)
	}
}

func (i *installation) await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}
