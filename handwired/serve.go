package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // requests, workqueue and leader election
	"k8s.io/klog/v2"
)

// probes answer the kubelet's questions. A standby is as ready as a leader.
type probes struct {
	ready   func() bool
	healthy func(*http.Request) error
}

// serve starts the servers of metrics and probes, and returns what stops them.
func (o options) serve(ctx context.Context, p probes) (stop func(), err error) {
	metrics := http.NewServeMux()
	metrics.Handle("GET /metrics", legacyregistry.Handler())

	health := http.NewServeMux()
	health.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { answer(w, p.healthy(r)) })
	health.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !p.ready() {
			answer(w, errors.New("the caches are not filled yet"))
			return
		}
		answer(w, nil)
	})

	var servers []*http.Server
	stop = func() {
		for _, server := range servers {
			_ = server.Close()
		}
	}
	for _, s := range []struct {
		flag, address string
		handler       http.Handler
	}{
		{"--metrics-bind-address", o.metricsAddress, metrics},
		{"--health-probe-bind-address", o.probeAddress, health},
	} {
		if s.address == "0" {
			continue
		}
		listener, err := net.Listen("tcp", s.address)
		if err != nil {
			stop()
			return nil, usage(fmt.Errorf("%s: %w; choose another port, or 0 to serve none", s.flag, err))
		}
		server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 5 * time.Second}
		servers = append(servers, server)
		logger := klog.LoggerWithValues(klog.FromContext(ctx), "address", listener.Addr().String())
		logger.V(1).Info("serving", "flag", s.flag)
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				logger.Error(err, "stopped serving", "flag", s.flag)
			}
		}()
	}
	return stop, nil
}

func answer(w http.ResponseWriter, failure error) {
	if failure != nil {
		http.Error(w, failure.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "ok")
}
