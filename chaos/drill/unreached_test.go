package drill

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheckReached(t *testing.T) {
	const unreached = "the operator sent the API server no request: name {{kubeconfig}} in operator.command or operator.env"
	steps := []StepRecord{{Name: "create"}}
	for _, test := range []struct {
		name string
		run  Recording
		want string
	}{
		{"one that sent one", Recording{Steps: steps, Exchanges: make([]Exchange, 1)}, ""},
		{"one that sent none, though everything settled", Recording{Steps: steps, Log: "no kubeconfig"}, unreached},
		{"one that sent none, and nothing settled", Recording{Failure: errors.New("not settled")}, unreached},
		{"one that was asked for nothing", Recording{}, ""},
		{"one that ended", Recording{Failure: fmt.Errorf("create: %w", errEnded)}, ""},
		{"one whose scenario is broken", Recording{Broken: errScenario, Failure: errScenario}, ""},
	} {
		err := checkReached(&test.run)
		if (err != nil) != (test.want != "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	if err := checkReached(&Recording{Steps: steps, Log: "no kubeconfig\n"}); !strings.HasSuffix(err.Error(), "\nThe operator's last words:\n  no kubeconfig") {
		t.Errorf("got %v", err)
	}
}

// TestOperatorThatReachesNothing is found out though everything that is awaited comes to pass without it.
func TestOperatorThatReachesNothing(t *testing.T) {
	text := tinyHead + `
faults: [before]
scenario:
- name: create
  apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: a}]}}
  await: pods.size() == 1
`
	mute := program(t, executable(t, "#!/bin/sh\necho where is the API server?\nexec sleep 1000\n"))
	requireUnheld(t, briefly(t, text), mute, "the operator sent the API server no request: name {{kubeconfig}} in operator.command",
		"The operator's last words:\n  where is the API server?")
}
