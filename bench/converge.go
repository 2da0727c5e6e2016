package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/operator"
)

// converge brings a shape up with the operator alone, until every Fleet says that all its pods are available.
func (b *bench) converge(ctx context.Context, subject operator.Operator, shape Shape) (Convergence, error) {
	result := Convergence{Shape: shape}
	metrics, err := freeAddress()
	if err != nil {
		return result, err
	}
	process, err := b.startOperator(ctx, subject, "--metrics-bind-address="+metrics)
	if err != nil {
		return result, err
	}
	defer process.Kill()
	namespace, remove, err := b.namespace(ctx)
	if err != nil {
		return result, err
	}
	defer remove()
	began := time.Now()
	err = createOwners(ctx, namespace, shape.Owners, func(ctx context.Context, namespace, name string) error {
		return b.createFleet(ctx, namespace, name, shape.Pods)
	})
	if err != nil {
		return result, err
	}
	if err := b.awaitAvailable(ctx, namespace, shape.Owners); err != nil {
		return result, err
	}
	result.Seconds = time.Since(began).Seconds()
	if result.Calls, err = requests(ctx, metrics, b.controlPlane.AdminConfig().BearerToken); err != nil {
		return result, err
	}
	result.PeakMemory, err = peakMemory(process.Pid())
	return result, err
}

func (b *bench) awaitAvailable(ctx context.Context, namespace string, fleets int) error {
	client := b.fleets.FleetV1alpha1().Fleets(namespace)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	available := map[string]bool{}
	note := func(f *v1alpha1.Fleet) {
		if f.Status.ObservedGeneration == f.Generation && f.Status.AvailableReplicas == ptr.Deref(f.Spec.Replicas, 1) {
			available[f.Name] = true
		}
	}
	for i := range list.Items {
		note(&list.Items[i])
	}
	for len(available) < fleets {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				return fmt.Errorf("the watch ended with %d of %d Fleets available", len(available), fleets)
			}
			if f, ok := event.Object.(*v1alpha1.Fleet); ok {
				note(f)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// requests reads from the operator's metrics how many requests it has sent, by method. The metric is client-go's own
// (k8s.io/component-base/metrics/prometheus/restclient).
func requests(ctx context.Context, address, token string) (map[string]int, error) {
	text, err := operator.Metrics(ctx, address, token)
	if err != nil {
		return nil, fmt.Errorf("the operator's metrics: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the operator's metrics: %w", err)
	}
	calls := map[string]int{}
	for _, metric := range families["rest_client_requests_total"].GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "method" {
				calls[label.GetValue()] += int(metric.GetCounter().GetValue())
			}
		}
	}
	return calls, nil
}
