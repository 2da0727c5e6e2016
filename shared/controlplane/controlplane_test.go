package controlplane

import (
	"os"
	"testing"
	"time"

	"example.com/twinloop/shared/controlplane/kubelet"
)

func TestStart(t *testing.T) {
	for range 3 {
	began := time.Now()
	c, err := Start(t.Context(), Options{Dir: "/tmp/cptest", Controllers: Housekeeping, Kubelet: &kubelet.Options{}, Progress: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("up in", time.Since(began))
	began = time.Now()
	c.Stop()
	t.Log("down in", time.Since(began))
	}
}
