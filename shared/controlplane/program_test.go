package controlplane

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/twinloop/shared/process"
)

func TestFailure(t *testing.T) {
	for _, test := range []struct{ printed, want string }{
		{"", "etcd ended (exit status 3) and said nothing"},
		{"first\nlast\n", "etcd ended (exit status 3): last"},
		{"listen: address already in use\n", "etcd: port already in use"},
	} {
		log := filepath.Join(t.TempDir(), "etcd.log")
		if err := os.WriteFile(log, []byte(test.printed), 0o600); err != nil {
			t.Fatal(err)
		}
		ended, err := process.Start(exec.Command("sh", "-c", "exit 3"))
		if err != nil {
			t.Fatal(err)
		}
		<-ended.Exited()
		if got := (&program{Process: ended, name: "etcd", log: log}).failure().Error(); got != test.want {
			t.Errorf("of %q: %s, want %s", test.printed, got, test.want)
		}
	}
}
