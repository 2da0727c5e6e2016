package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
)

// options are the operator's flags.
type options struct {
	kubeconfig string
	namespace  string

	leaderElect                               bool
	leaseDuration, renewDeadline, retryPeriod time.Duration

	dnsServer, dnsTSIGFile string

	metricsAddress, probeAddress string
	concurrency                  int

	logging *logsapi.LoggingConfiguration
}

func newCommand() *cobra.Command {
	o := options{logging: logsapi.NewLoggingConfiguration()}
	command := &cobra.Command{
		Use:           "handwired",
		Short:         "Keep Fleets: the operator written on client-go alone",
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := logsapi.ValidateAndApply(o.logging, nil); err != nil {
				return usage(err)
			}
			defer logs.FlushLogs()
			return run(command.Context(), o)
		},
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	o.addFlags(command.Flags())
	return command
}

func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("unexpected argument %q: %s takes flags only", args[0], command.Name()))
	}
	return nil
}

func (o *options) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.kubeconfig, "kubeconfig", "",
		"File that says how to reach the API server. Default: $KUBECONFIG, ~/.kube/config, or the pod's service account.")
	flags.StringVarP(&o.namespace, "namespace", "n", "",
		"Namespace to keep Fleets in. Default: all of them.")
	flags.BoolVar(&o.leaderElect, "leader-elect", true,
		"Work only while holding the Lease "+leaseName+", so that one of several replicas does.")
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
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080",
		"Address that serves /metrics; 0 serves none.")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081",
		"Address that serves /healthz and /readyz; 0 serves none.")
	flags.IntVar(&o.concurrency, "concurrency", 8,
		"Number of Fleets reconciled at once.")
	logsapi.AddFlags(o.logging, flags)
}

// usageError is an error in how the operator was started; the process exits with 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(err error) error { return usageError{err} }

func exitCode(err error) int {
	var wrong usageError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

// restConfig returns how to reach the API server, and the namespace that the kubeconfig or the pod is in.
func (o options) restConfig() (config *rest.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err = loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", usage(fmt.Errorf("--kubeconfig: there is no configuration in %s, nor does this run in a pod: name a file that is there",
			strings.Join(rules.GetLoadingPrecedence(), ", ")))
	}
	if err != nil {
		return nil, "", usage(fmt.Errorf("--kubeconfig: %w", err))
	}
	if namespace, _, err = loader.Namespace(); err != nil {
		return nil, "", usage(fmt.Errorf("--kubeconfig: %w", err))
	}
	config.UserAgent = "handwired"
	config.QPS = -1 // the API server's priority and fairness limits what it must; a second limit here only adds delay
	return config, namespace, nil
}

func (o options) validate() error {
	if o.concurrency < 1 {
		return usage(fmt.Errorf("--concurrency must be at least 1, not %d", o.concurrency))
	}
	if o.leaderElect && o.leaseDuration < time.Second {
		return usage(fmt.Errorf("--leader-elect-lease-duration must be at least 1s, as a Lease counts whole seconds, not %s",
			o.leaseDuration))
	}
	return nil
}

// identity names this process among those that try for the Lease.
func identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s_%d_%d", host, os.Getpid(), time.Now().UnixNano())
}
