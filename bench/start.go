package bench

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process"
)

// startOperator starts the operator and returns when it is ready, so that its start is not measured.
func (b *bench) startOperator(ctx context.Context, subject operator.Operator, args ...string) (*process.Process, error) {
	probes, err := freeAddress()
	if err != nil {
		return nil, err
	}
	launch := b.launches[subject.Name]
	launch.Args = append(args, "--health-probe-bind-address="+probes)
	started, err := launch.Start()
	if err != nil {
		return nil, err
	}
	if err := awaitReady(ctx, started, "http://"+probes+"/readyz"); err != nil {
		started.Kill()
		return nil, err
	}
	return started, nil
}

// timeFirstWrite starts the operator when a Fleet is there already, and returns after how many seconds its pod is.
func (b *bench) timeFirstWrite(ctx context.Context, subject operator.Operator) (float64, error) {
	namespace, remove, err := b.namespace(ctx)
	if err != nil {
		return 0, err
	}
	defer remove()
	pods, err := b.watchPods(ctx, namespace)
	if err != nil {
		return 0, err
	}
	defer pods.Stop()
	if err := b.createFleet(ctx, namespace, "owner", 1); err != nil {
		return 0, err
	}
	began := time.Now()
	started, err := b.launches[subject.Name].Start()
	if err != nil {
		return 0, err
	}
	defer started.Kill()
	if err := awaitAdded(ctx, pods, 1); err != nil {
		return 0, err
	}
	return time.Since(began).Seconds(), nil
}

func awaitReady(ctx context.Context, of *process.Process, url string) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if answersOK(ctx, url) {
			return nil
		}
		select {
		case <-ticker.C:
		case <-of.Exited():
			return errors.New("the operator ended before it was ready")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func answersOK(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// freeAddress is a loopback address whose port was free a moment ago.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
