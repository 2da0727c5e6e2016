package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"example.com/twinloop/handwired/controller"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/api/generated/clientset/versioned"
	"example.com/twinloop/shared/api/generated/informers/externalversions"
	"example.com/twinloop/shared/fence"
	"example.com/twinloop/shared/publish"
)

// run keeps Fleets until ctx is done. The caches are filled and kept up to date whether or not this process leads, so
// that a standby that takes over can act at once; only the workers wait for the Lease.
func run(ctx context.Context, o options) error {
	if err := o.validate(); err != nil {
		return err
	}
	config, ownNamespace, err := o.restConfig()
	if err != nil {
		return err
	}
	leading := func() error { return nil }
	if o.leaderElect {
		writes := fence.New(o.renewDeadline)
		config.Wrap(writes.Transport)
		leading = writes.Check
	}
	kube, fleets, err := clients(config)
	if err != nil {
		return err
	}
	if err := checkServer(fleets.Discovery(), config.Host); err != nil {
		return err
	}
	recorder, shutdown, err := startEvents(ctx, kube)
	if err != nil {
		return err
	}
	defer shutdown()

	kubeInformers := informers.NewSharedInformerFactoryWithOptions(kube, 0, informers.WithNamespace(o.namespace))
	fleetInformers := externalversions.NewSharedInformerFactoryWithOptions(fleets, 0, externalversions.WithNamespace(o.namespace))
	publisher, err := publish.FromFlags(o.dnsServer, o.dnsTSIGFile, leading)
	if err != nil {
		return usage(err)
	}
	fleetController, err := controller.New(kube, fleets, publisher, recorder, kubeInformers, fleetInformers)
	if err != nil {
		return err
	}

	watchdog := leaderelection.NewLeaderHealthzAdaptor(20 * time.Second)
	stopServing, err := o.serve(ctx, probes{ready: fleetController.HasSynced, healthy: watchdog.Check})
	if err != nil {
		return err
	}
	defer stopServing()

	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		stopWatching()
		kubeInformers.Shutdown()
		fleetInformers.Shutdown()
	}()
	kubeInformers.StartWithContext(watching)
	fleetInformers.StartWithContext(watching)

	work := func(ctx context.Context) error { return fleetController.Run(ctx, o.concurrency) }
	if !o.leaderElect {
		return work(ctx)
	}
	namespace := o.namespace
	if namespace == "" {
		namespace = ownNamespace
	}
	return o.lead(ctx, kube, namespace, watchdog, work)
}

// clients returns a client for the built-in types, which speak protobuf, and one for Fleets, which cannot.
func clients(config *rest.Config) (kubernetes.Interface, versioned.Interface, error) {
	fleets, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--kubeconfig: %w", err))
	}
	builtIn := rest.CopyConfig(config)
	builtIn.ContentType = runtime.ContentTypeProtobuf
	builtIn.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	kube, err := kubernetes.NewForConfig(builtIn)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--kubeconfig: %w", err))
	}
	return kube, fleets, nil
}

// checkServer finds out at the start whether the API server can be reached and serves Fleets. Informers would not say:
// they retry for ever.
func checkServer(server discovery.DiscoveryInterface, host string) error {
	_, err := server.ServerResourcesForGroupVersion(v1alpha1.SchemeGroupVersion.String())
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return usage(fmt.Errorf("the API server at %s does not serve %s: apply the CustomResourceDefinition in shared/api/crd first",
			host, v1alpha1.SchemeGroupVersion))
	case apierrors.IsUnauthorized(err):
		return usage(fmt.Errorf("--kubeconfig: the API server at %s does not accept these credentials: %w", host, err))
	}
	var answered apierrors.APIStatus
	if errors.As(err, &answered) {
		return fmt.Errorf("asking the API server at %s for its resources: %w", host, err)
	}
	return usage(fmt.Errorf("--kubeconfig: no API server answers at %s: %w", host, err))
}

// startEvents returns a recorder of events.k8s.io events, and what stops it.
func startEvents(ctx context.Context, kube kubernetes.Interface) (events.EventRecorder, func(), error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, nil, err
		}
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: kube.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(context.WithoutCancel(ctx)); err != nil {
		return nil, nil, err
	}
	recorder := broadcaster.NewRecorder(scheme, controller.Name)
	return recorder.WithLogger(klog.FromContext(ctx)), broadcaster.Shutdown, nil
}
