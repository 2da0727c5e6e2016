package suite

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
)

// A subject is an operator under test, built and installed.
type subject struct {
	operator.Operator
	identity           operator.Identity
	binary, kubeconfig string
}

// subjects makes each operator ready on first use, in the control plane's folder, which goes when it stops.
var subjects = map[string]func() (subject, error){}

func init() {
	for _, o := range operator.Known {
		subjects[o.Name] = sync.OnceValues(func() (subject, error) { return prepare(context.Background(), o) })
	}
}

func prepare(ctx context.Context, o operator.Operator) (s subject, err error) {
	s = subject{
		Operator:   o,
		binary:     filepath.Join(cp.Dir(), o.Name),
		kubeconfig: filepath.Join(cp.Dir(), o.Name+".kubeconfig"),
	}
	if err := o.Build(ctx, s.binary, buildFlags...); err != nil {
		return s, err
	}
	client, err := kubernetes.NewForConfig(cp.AdminConfig())
	if err != nil {
		return s, err
	}
	if s.identity, err = o.Install(ctx, client); err != nil {
		return s, err
	}
	kubeconfig, err := cp.Kubeconfig(ctx, controlplane.Access{ServiceAccount: s.identity.Account})
	if err != nil {
		return s, err
	}
	return s, os.WriteFile(s.kubeconfig, kubeconfig, 0o600)
}

// eachOperator runs a test for every operator, all at once.
func eachOperator(t *testing.T, test func(*testing.T, subject)) {
	t.Parallel()
	for _, o := range operator.Known {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			s, err := subjects[o.Name]()
			if err != nil {
				t.Fatal(err)
			}
			test(t, s)
		})
	}
}
