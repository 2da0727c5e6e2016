package controlplane_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// The API server that was started again serves at the same place what was there before, and is stopped with the rest.
func TestRestartAPIServer(t *testing.T) {
	dir := t.TempDir()
	c := controlplanetest.Start(t, controlplane.Options{Dir: dir})
	client := controlplanetest.Client(t, c)
	before := controlplanetest.Namespace(t, client)
	for range 2 {
		if err := c.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().Namespaces().Get(t.Context(), before, metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
	after := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "after"}}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), after, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	c.Stop()
	requireNoProcess(t, dir)
}
