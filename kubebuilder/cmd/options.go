package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
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
		"Namespace to keep Fleets in, and to have the Lease in. Default: all of them, and the pod's own.")
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
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Println("Keep Fleets: the operator written on controller-runtime.\n\nFlags:")
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
		os.Exit(0)
	case err != nil:
		misused(err)
	case flags.NArg() > 0:
		misused(fmt.Errorf("unexpected argument %q: only flags are taken", flags.Arg(0)))
	}
}

// checkServer finds out at the start whether the API server can be reached and serves Fleets, and ends the process if not.
func checkServer(mapper meta.RESTMapper, host string) {
	_, err := mapper.RESTMapping(fleetv1alpha1.FleetKind.GroupKind(), fleetv1alpha1.FleetKind.Version)
	var answered apierrors.APIStatus
	switch {
	case err == nil:
	case meta.IsNoMatchError(err):
		misused(fmt.Errorf("the API server at %s does not serve %s: apply the CustomResourceDefinition in shared/api/crd first",
			host, fleetv1alpha1.SchemeGroupVersion))
	case apierrors.IsUnauthorized(err):
		misused(fmt.Errorf("--kubeconfig: the API server at %s does not accept these credentials: %w", host, err))
	case errors.As(err, &answered):
		end(1, fmt.Errorf("asking the API server at %s for its resources: %w", host, err))
	default:
		misused(fmt.Errorf("--kubeconfig: no API server answers at %s: %w", host, err))
	}
}

// failed ends the process for what went wrong in the manager. An address that cannot be listened on, and a Lease that has
// no namespace, is how it was started.
func failed(addressFlag string, err error) {
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "listen":
		misused(fmt.Errorf("%s: %w; choose another, or 0 to serve none", addressFlag, err))
	case strings.Contains(err.Error(), "leader election namespace"):
		misused(fmt.Errorf("--leader-elect: outside a cluster, --namespace must say where the Lease is: %w", err))
	}
	end(1, err)
}

// misused ends the process for how it was started.
func misused(err error) { end(2, err) }

func end(status int, err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(status)
}
