package operator

import (
	"io"

	"example.com/twinloop/shared/process"
)

// Launch says how a process of one of the known operators is started.
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
	command := CommandOf(l.Binary)
	if l.DNSKeyFile != "" {
		command.Alone = append(command.Alone, "--dns-tsig-file="+l.DNSKeyFile)
	}
	command.Alone = append(command.Alone, l.Args...)
	return command.Start(Situation{
		Kubeconfig: l.Kubeconfig, Namespace: l.Namespace, DNSServer: l.DNSServer, Log: l.Log,
	})
}
