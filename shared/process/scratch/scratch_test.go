package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// makerVariable tells the test's executable to make a folder, say where, and wait to be killed.
const makerVariable = "SCRATCH_TEST_MAKER"

func TestMain(m *testing.M) {
	if os.Getenv(makerVariable) != "" {
		folder, err := New("killed")
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(folder.Path)
		_ = os.Stdout.Close()
		select {}
	}
	os.Exit(m.Run())
}

func TestFolderIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder := mustNew(t)
	if base := filepath.Base(folder.Path); !strings.HasPrefix(base, "twinloop-test-") {
		t.Errorf("the folder is called %s", base)
	}
	folder.Remove()
	if left := folders(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestKilledMaker shows that a folder stays while its maker lives, and goes with the next start once that was killed.
func TestKilledMaker(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	maker := exec.Command(os.Args[0])
	maker.Env = append(os.Environ(), makerVariable+"=1")
	said, err := maker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	path := make([]byte, 1000)
	n, _ := said.Read(path)
	killed := string(path[:n])
	foreign := filepath.Join(os.TempDir(), prefix+"of-another")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	mustNew(t).Remove()
	if _, err := os.Stat(killed); err != nil {
		t.Errorf("while its maker lives: %v", err)
	}
	_ = maker.Process.Kill()
	_ = maker.Wait()
	mustNew(t).Remove()
	if left := folders(t); len(left) != 1 || left[0] != foreign {
		t.Errorf("left: %v, want only the folder that has no lock", left)
	}
}

func TestNoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	if _, err := New("test"); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("got %v", err)
	}
}

func mustNew(t *testing.T) *Folder {
	t.Helper()
	folder, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func folders(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	hidden, _ := filepath.Glob(filepath.Join(os.TempDir(), ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return append(found, hidden...)
}
