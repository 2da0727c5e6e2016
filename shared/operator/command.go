package operator

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"example.com/twinloop/shared/process"
)

// Command is how an operator's process is started. Its texts may name what is different for each process, as {{kubeconfig}},
// {{namespace}} and {{dns}}, the host:port of the DNS server.
type Command struct {
	// Program is the executable, Args what it is always given.
	Program string
	Args    []string
	// Env is added to the environment that every process gets, as NAME=value; Inherit are the names of the caller's variables
	// that are passed on beside.
	Env, Inherit []string
	// Alone is added for one process that must not wait for a Lease, Electing for one that must.
	Alone, Electing []string
	// Publishing is added where there is a DNS server.
	Publishing []string
}

// Situation is what is different for each process of an operator.
type Situation struct {
	// Kubeconfig is the file that it reads.
	Kubeconfig string
	// Namespace is the only one it works in; empty for all.
	Namespace string
	// DNSServer is the host:port that it publishes to; empty for none.
	DNSServer string
	// Electing has it work only while it holds a Lease.
	Electing bool
	// Log gets what it prints.
	Log io.Writer
}

// Start starts a process, which does not outlive the caller, in an environment of its own: it cannot find the cluster of whoever
// starts it.
func (c Command) Start(s Situation) (*process.Process, error) {
	fill := strings.NewReplacer("{{kubeconfig}}", s.Kubeconfig, "{{namespace}}", s.Namespace, "{{dns}}", s.DNSServer)
	var args []string
	add := func(texts []string) {
		for _, text := range texts {
			args = append(args, fill.Replace(text))
		}
	}
	add(c.Args)
	if s.Electing {
		add(c.Electing)
	} else {
		add(c.Alone)
	}
	if s.DNSServer != "" {
		add(c.Publishing)
	}
	folder, err := newHome()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Program, err)
	}
	cmd := exec.Command(c.Program, args...)
	cmd.Env = environment(os.Environ(), c.Inherit, folder.Path, s)
	for _, setting := range c.Env {
		cmd.Env = append(cmd.Env, fill.Replace(setting))
	}
	cmd.Stdout, cmd.Stderr = s.Log, s.Log
	started, err := process.Start(cmd, folder.Remove)
	if err != nil {
		folder.Remove()
		return nil, fmt.Errorf("starting %s: %w", c.Program, err)
	}
	return started, nil
}

// CommandOf starts a binary of one of the known operators, without ports for metrics and probes.
func CommandOf(binary string) Command {
	return Command{
		Program: binary,
		Args: []string{
			"--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}",
			"--metrics-bind-address=0", "--health-probe-bind-address=0",
		},
		Alone:      []string{"--leader-elect=false"},
		Electing:   []string{"--leader-elect=true"},
		Publishing: []string{"--dns-server={{dns}}"},
	}
}
