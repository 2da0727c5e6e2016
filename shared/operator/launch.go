package operator

import (
	"fmt"
	"io"
	"os/exec"

	"example.com/twinloop/shared/process"
)

// Launch says how an operator process is started.
type Launch struct {
	// Binary is the operator's executable; Kubeconfig the file that it reads.
	Binary, Kubeconfig string
	// Namespace is the only one it works in; empty for all.
	Namespace string
	// DNSServer is the host:port it publishes to, DNSKeyFile the key it signs with; empty for none.
	DNSServer, DNSKeyFile string
	// Args are added to what the fields above come to.
	Args []string
	// Log gets what it prints.
	Log io.Writer
}

// Start starts the operator, without leader election and without ports for metrics and probes unless Args ask for
// them. It does not outlive the caller.
func (l Launch) Start() (*process.Process, error) {
	args := []string{
		"--kubeconfig=" + l.Kubeconfig,
		"--namespace=" + l.Namespace,
		"--leader-elect=false",
		"--metrics-bind-address=0",
		"--health-probe-bind-address=0",
	}
	if l.DNSServer != "" {
		args = append(args, "--dns-server="+l.DNSServer)
	}
	if l.DNSKeyFile != "" {
		args = append(args, "--dns-tsig-file="+l.DNSKeyFile)
	}
	cmd := exec.Command(l.Binary, append(args, l.Args...)...)
	cmd.Stdout, cmd.Stderr = l.Log, l.Log
	started, err := process.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", l.Binary, err)
	}
	return started, nil
}
