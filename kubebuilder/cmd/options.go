package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	fleetv1alpha1 "example.com/twinloop/shared/api/fleet/v1alpha1"
)

// options are the flags that the scaffold does not have.
type options struct {
	namespace                                 string
	leaseDuration, renewDeadline, retryPeriod time.Duration
	dnsServer, dnsTSIGFile                    string
	concurrency                               int
}

func (o *options) BindFlags(flags *flag.FlagSet) {
	flags.StringVar(&o.namespace, "namespace", "",
		"Namespace to keep Fleets in. Default: all of them.")
	flags.DurationVar(&o.leaseDuration, "leader-elect-lease-duration", 15*time.Second,
		"How long a Lease that is not renewed is respected by others.")
	flags.DurationVar(&o.renewDeadline, "leader-elect-renew-deadline", 10*time.Second,
		"How long the holder tries to renew before it gives up and exits.")
	flags.DurationVar(&o.retryPeriod, "leader-elect-retry-period", 2*time.Second,
		"How often the Lease is tried for or renewed.")
	flags.StringVar(&o.dnsServer, "dns-server", "",
		"Authoritative DNS server that takes updates, as host:port. Without it no Fleet is published.")
	flags.StringVar(&o.dnsTSIGFile, "dns-tsig-file", "",
		"File with the key that signs the updates, as tsig-keygen(8) writes it.")
	flags.IntVar(&o.concurrency, "concurrency", 8,
		"Number of Fleets reconciled at once.")
}

func (o *options) validate() error {
	switch {
	case o.concurrency < 1:
		return fmt.Errorf("--concurrency must be at least 1, not %d", o.concurrency)
	case o.leaseDuration < time.Second:
		return fmt.Errorf("--leader-elect-lease-duration must be at least 1s, as a Lease counts whole seconds, not %s", o.leaseDuration)
	case o.leaseDuration <= o.renewDeadline:
		return fmt.Errorf("--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline, which is %s", o.renewDeadline)
	case o.renewDeadline <= time.Duration(leaderelection.JitterFactor*float64(o.retryPeriod)):
		return fmt.Errorf("--leader-elect-retry-period must be shorter than --leader-elect-renew-deadline by a factor of %.1f", leaderelection.JitterFactor)
	}
	return nil
}

// cache keeps what no reconcile reads, and what is often the larger part of an object, out of the caches.
func (o *options) cache() cache.Options {
	caches := cache.Options{DefaultTransform: cache.TransformStripManagedFields()}
	if o.namespace != "" {
		caches.DefaultNamespaces = map[string]cache.Config{o.namespace: {}}
	}
	return caches
}

// parse parses a command line, and ends the process with one line where the flag package would print all flags.
func parse(flags *flag.FlagSet, args []string) {
	flags.Init(flags.Name(), flag.ContinueOnError)
	output := flags.Output()
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	flags.SetOutput(output)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.PrintDefaults()
		os.Exit(0)
	case err != nil:
		misused(err)
	case flags.NArg() > 0:
		misused(fmt.Errorf("unexpected argument %q: only flags are taken", flags.Arg(0)))
	}
}

// checkServer finds out at the start whether the API server can be reached and serves Fleets. The manager would not say:
// it retries for two minutes.
func checkServer(mapper meta.RESTMapper, host string) error {
	_, err := mapper.RESTMapping(fleetv1alpha1.FleetKind.GroupKind(), fleetv1alpha1.FleetKind.Version)
	switch {
	case err == nil:
		return nil
	case meta.IsNoMatchError(err):
		return fmt.Errorf("the API server at %s does not serve %s: apply the CustomResourceDefinition in shared/api/crd first",
			host, fleetv1alpha1.SchemeGroupVersion)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("--kubeconfig: the API server at %s does not accept these credentials: %w", host, err)
	}
	return fmt.Errorf("--kubeconfig: no API server answers at %s: %w", host, err)
}

// misused ends the process for how it was started.
func misused(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}

// failed ends the process for what went wrong, of which a taken port is how it was started.
func failed(portFlag string, err error) {
	if errors.Is(err, syscall.EADDRINUSE) {
		misused(fmt.Errorf("%s: %w; choose another port, or 0 to serve none", portFlag, err))
	}
	setupLog.Error(err, "Failed to run manager")
	os.Exit(1)
}
