package operator

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// printer is a program that prints its arguments, a line each, and some of its environment.
func printer(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "printer")
	text := `#!/bin/sh
for argument; do echo "$argument"; done
echo "KUBECONFIG is $KUBECONFIG"
echo "WHERE is $WHERE"
`
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCommandIsFilledIn(t *testing.T) {
	t.Setenv("WHERE", "the caller's")
	command := Command{
		Program:    printer(t),
		Args:       []string{"--kubeconfig={{kubeconfig}}", "--in={{namespace}},{{namespace}}", "two words", "{{other}}"},
		Env:        []string{"KUBECONFIG={{kubeconfig}}", "WHERE={{namespace}} with {{dns}}"},
		Alone:      []string{"--alone", "{{namespace}}"},
		Electing:   []string{"--elect", "--lease={{namespace}}/lease"},
		Publishing: []string{"--dns={{dns}}"},
	}
	always := []string{"--kubeconfig=/a/b", "--in=ns,ns", "two words", "{{other}}"}
	for _, test := range []struct {
		name      string
		situation Situation
		want      []string
	}{
		{"alone", Situation{}, []string{"--alone", "ns", "KUBECONFIG is /a/b", "WHERE is ns with "}},
		{"electing", Situation{Electing: true}, []string{"--elect", "--lease=ns/lease", "KUBECONFIG is /a/b", "WHERE is ns with "}},
		{"alone and publishing", Situation{DNSServer: "127.0.0.1:53"},
			[]string{"--alone", "ns", "--dns=127.0.0.1:53", "KUBECONFIG is /a/b", "WHERE is ns with 127.0.0.1:53"}},
		{"electing and publishing", Situation{Electing: true, DNSServer: "127.0.0.1:53"},
			[]string{"--elect", "--lease=ns/lease", "--dns=127.0.0.1:53", "KUBECONFIG is /a/b", "WHERE is ns with 127.0.0.1:53"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			test.situation.Kubeconfig, test.situation.Namespace, test.situation.Log = "/a/b", "ns", &log
			started, err := command.Start(test.situation)
			if err != nil {
				t.Fatal(err)
			}
			<-started.Exited()
			if started.Err() != nil {
				t.Error(started.Err())
			}
			want := append(append([]string{}, always...), test.want...)
			if difference := cmp.Diff(want, strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")); difference != "" {
				t.Errorf("- want, + got\n%s", difference)
			}
		})
	}
}

func TestKnownOperatorsAreStartedInOneNamespace(t *testing.T) {
	var log bytes.Buffer
	command := CommandOf(printer(t))
	started, err := command.Start(Situation{Kubeconfig: "/a/b", Namespace: "ns", DNSServer: "127.0.0.1:53", Electing: true, Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	<-started.Exited()
	for _, want := range []string{"--kubeconfig=/a/b\n", "--namespace=ns\n", "--leader-elect=true\n", "--dns-server=127.0.0.1:53\n"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("there is no %q in\n%s", want, log.String())
		}
	}
}

func TestCommandThatCannotBeStarted(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := Command{Program: missing}.Start(Situation{Log: new(bytes.Buffer)})
	if err == nil || !strings.HasPrefix(err.Error(), "starting "+missing+": ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not recognized as a file that does not exist", err)
	}
}
