package controlplane_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"example.com/twinloop/shared/process"
)

// offline makes the test binary bring loopback up before it does anything else: it is in a network of its own.
const offline = "CONTROLPLANE_TEST_OFFLINE"

// noLoopback is how the test binary ends where it may not bring loopback up.
const noLoopback = 77

func init() {
	if os.Getenv(offline) == "" {
		return
	}
	if err := raiseLoopback(); err != nil {
		fmt.Println("bringing loopback up:", err)
		os.Exit(noLoopback)
	}
}

// raiseLoopback does what "ip link set lo up" does.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(socket, unix.SIOCGIFFLAGS, request); err != nil {
		return err
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// Where there is loopback and no other network, as on a laptop on a train, the package's control plane starts with all
// that it has, and collects garbage.
func TestOffline(t *testing.T) {
	var output bytes.Buffer
	again := exec.Command(os.Args[0], "-test.run=^TestGarbageCollection$", "-test.v")
	again.Env = append(os.Environ(), offline+"=1")
	again.Stdout, again.Stderr = &output, &output
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	err := process.Run(t.Context(), again)
	var ended *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &ended):
		t.Skip("this machine makes no network namespace: ", err)
	case err != nil && ended.ExitCode() == noLoopback:
		t.Skip("this machine gives no rights in a network namespace: ", output.String())
	case err != nil || !bytes.Contains(output.Bytes(), []byte("--- PASS: TestGarbageCollection")):
		t.Errorf("without a network: %v\n%s", err, output.Bytes())
	}
}
