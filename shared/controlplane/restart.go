package controlplane

import (
	"context"
	"slices"
)

// RestartAPIServer kills the API server, starts it again on the same data and port, and returns when it is ready. Its
// clients lose their connections, its watch caches what they remember. Nobody may be in [ControlPlane.Wait] meanwhile.
func (c *ControlPlane) RestartAPIServer(ctx context.Context) error {
	i := slices.IndexFunc(c.running, func(p *program) bool { return p.name == "kube-apiserver" })
	old := c.running[i]
	old.Kill()
	if first := <-c.ended; first != old {
		return first.failure()
	}
	c.running = slices.Delete(c.running, i, i+1)
	started, err := c.launch(old.name, old.args)
	if err != nil {
		return err
	}
	return c.await(ctx, started, c.URL+"/readyz")
}
