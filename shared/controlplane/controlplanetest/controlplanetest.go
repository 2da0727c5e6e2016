// Package controlplanetest gives tests a control plane: one for a whole package (Main) or one for a test (Start).
package controlplanetest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/shared/controlplane"
)

// Main is a package's TestMain: it starts a control plane, puts it where the tests look for it, runs them, stops it,
// and fails if a goroutine is left. It does not return.
func Main(m *testing.M, opts controlplane.Options, shared **controlplane.ControlPlane) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	opts.Progress = os.Stderr
	c, err := controlplane.Start(ctx, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot start a control plane:", err)
		os.Exit(1)
	}
	*shared = c
	code := m.Run()
	c.Stop()
	stop()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Start starts a control plane for one test, and stops it when the test ends.
func Start(tb testing.TB, opts controlplane.Options) *controlplane.ControlPlane {
	tb.Helper()
	opts.Progress = os.Stderr
	c, err := controlplane.Start(tb.Context(), opts)
	if err != nil {
		tb.Fatalf("cannot start a control plane: %v", err)
	}
	tb.Cleanup(c.Stop)
	return c
}

// Client is an administrator's clientset.
func Client(tb testing.TB, c *controlplane.ControlPlane) kubernetes.Interface {
	tb.Helper()
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// Namespace creates a namespace for a test, with a name of its own.
func Namespace(tb testing.TB, client kubernetes.Interface) string {
	tb.Helper()
	namespace, err := client.CoreV1().Namespaces().Create(tb.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return namespace.Name
}
